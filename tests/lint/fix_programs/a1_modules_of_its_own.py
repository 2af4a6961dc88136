import torch
from torch import nn


class Length(nn.Module):
    def forward(self, x):
        return len(x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = nn.ReLU()
        self._modules = self._modules
        self._modules["act"] = Length()

    def forward(self, x):
        out = self.act(x)
        out += 1
        return out


print(Net()(torch.ones(3)))
