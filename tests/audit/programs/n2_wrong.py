"""A running mean is a plain attribute: the checkpoint does not have it."""

import io

import torch
from torch import nn


class Normalise(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.mean = torch.zeros(width)
        self.grid = torch.linspace(0, 1, width)
        self.linear = nn.Linear(width, 1)
        self.last = None

    def forward(self, x):
        if self.training:
            self.mean = 0.9 * self.mean + 0.1 * x.detach().mean(0)
        self.last = self.linear(x - self.mean + self.grid)
        return self.last


def build():
    return Normalise(4)


if __name__ == "__main__":
    torch.manual_seed(0)
    model = build()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    for _ in range(12):
        x = torch.randn(16, 4) + 3
        loss = model(x).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    file = io.BytesIO()
    torch.save({"model": model.state_dict()}, file)
    file.seek(0)
    restored = build()
    restored.load_state_dict(torch.load(file)["model"])
    print(restored.eval()(torch.zeros(2, 4)))
