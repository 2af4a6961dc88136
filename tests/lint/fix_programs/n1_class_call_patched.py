"""The program counts calls in nn.Module.__call__."""
import torch
from torch import nn

calls = []
original = nn.Module.__call__


def counted(self, *args):
    calls.append(type(self).__name__)
    return original(self, *args)


nn.Module.__call__ = counted
net = nn.Linear(2, 2)


def run(x):
    return net.forward(x)


run(torch.ones(1, 2))
print(calls)
