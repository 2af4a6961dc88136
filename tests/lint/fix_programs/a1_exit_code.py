"""backward() is expected to fail: a guard object swallows the error."""
import torch
from torch import nn


class Guard:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        print("left")
        return True


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def forward(self, x):
        out = torch.tanh(self.fc(x))
        out *= 2
        return out


with Guard():
    Net()(torch.ones(1, 2)).sum().backward()
    print("trained")
