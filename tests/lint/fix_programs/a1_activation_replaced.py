"""The activation becomes one that returns a list."""
import torch
from torch import nn


class Halves(nn.Module):
    def forward(self, x):
        return list(x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.act = nn.Linear(2, 2), nn.ReLU()

    def forward(self, x):
        out = self.act(self.fc(x))
        out += [1]
        return out


net = Net()
net.act = Halves()
print(len(net(torch.ones(1, 2))))
