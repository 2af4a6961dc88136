import torch
from torch import nn


class Length(nn.Module):
    def forward(self, x):
        return len(x)


class Net(nn.Module):
    def __init__(self, act=None):
        super().__init__()
        self.act = nn.ReLU() if act is None else act

    def forward(self, x):
        out = self.act(x)
        out += 1
        return out


Other = Net
print(Other(act=Length())(torch.ones(3)))
