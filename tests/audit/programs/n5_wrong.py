"""A running maximum is in a buffer that is not saved."""

import io

import torch
from torch import nn


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("largest", torch.ones(4), persistent=False)
        self.register_buffer("table", torch.arange(4.0), persistent=False)
        self.linear = nn.Linear(4, 1)

    def forward(self, x):
        if self.training:
            self.largest = torch.maximum(self.largest, x.detach().abs().amax(0))
        return self.linear(x / self.largest + self.table)


if __name__ == "__main__":
    torch.manual_seed(0)
    model = Scale()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(12):
        x = torch.randn(16, 4) * (2 + _)
        loss = model(x).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    file = io.BytesIO()
    torch.save(model.state_dict(), file)
    file.seek(0)
    restored = Scale()
    restored.load_state_dict(torch.load(file))
