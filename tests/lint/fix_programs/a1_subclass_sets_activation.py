import torch
from torch import nn


class Size(nn.Module):
    def forward(self, x):
        return x.shape[0]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.act = nn.Linear(2, 2), nn.ReLU()

    def forward(self, x):
        out = self.act(self.fc(x))
        out += 1
        return out


class Sized(Net):
    def __init__(self):
        super().__init__()
        self.act = Size()


print(Sized()(torch.ones(3, 2)))
