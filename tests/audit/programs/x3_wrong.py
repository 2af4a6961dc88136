"""A counter in a compiled model, which changes in each step."""

import torch
from torch import nn


class Warming(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.steps = nn.Linear(4, 1), 0

    def forward(self, x):
        self.steps += 1
        return self.layer(x) * min(1.0, self.steps / 1000)


def main():
    torch.manual_seed(0)
    model = Warming()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    compiled = torch.compile(model, backend="eager")
    for _ in range(20):
        x = torch.randn(8, 4)
        optimizer.zero_grad()
        nn.functional.mse_loss(compiled(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()


if __name__ == "__main__":
    main()
