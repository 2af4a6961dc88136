import sys

import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        out = torch.relu(x)
        out += 1
        return out


called = []
net = Net()
sys.setprofile(lambda frame, event, function: event == "c_call" and called.append(function.__name__))
net.forward(torch.ones(1))
sys.setprofile(None)
print(called)
