"""The blocks of a network are in a plain list."""

import torch
from torch import nn


class Tower(nn.Module):
    def __init__(self, teacher):
        super().__init__()
        self.stem = nn.Linear(4, 16)
        self.blocks = [nn.Linear(16, 16) for _ in range(3)]
        self.head = nn.Linear(16, 1)
        self.teacher = [teacher]

    def forward(self, x):
        with torch.no_grad():
            wanted = self.teacher[0](x)
        x = self.stem(x)
        for block in self.blocks:
            x = x + torch.relu(block(x))
        return self.head(x) - wanted


if __name__ == "__main__":
    torch.manual_seed(0)
    model = Tower(nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(12):
        x = torch.randn(16, 4)
        loss = model(x).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
