"""A method of a subclass comes before the layer of its name."""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = nn.ReLU()

    def forward(self, x):
        out = self.act(x)
        out += 1
        return out


class Length(Net):
    def act(self, x):
        return len(x)


print(Length()(torch.ones(3)))
