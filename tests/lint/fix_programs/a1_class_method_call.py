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


class Bag:
    def __init__(self, act):
        self.count = 0


print(Net.forward(Net(), torch.ones(2)))
