import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = nn.ReLU()
        self.last = None

    def forward(self, x):
        out = self.act(x)
        out += 1
        same = self.last is out
        self.last = out
        return out, same


net = Net()
first, _ = net(torch.ones(2))
second, flag = net(first)
first += 10
print(first, second, flag, net.last is second)
