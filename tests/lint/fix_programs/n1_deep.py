"""Each call through the module needs more Python frames than forward()."""
import sys

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.fc = nn.Linear(1, 1)
        self.child = Net(depth - 1) if depth else None

    def forward(self, x):
        return self.fc(x) if self.child is None else self.child.forward(x)


net = Net(300)
sys.setrecursionlimit(800)
print(net(torch.ones(1, 1)).shape)
