import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode


class Count(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.calls = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.calls.append(str(function))
        return function(*args, **(kwargs or {}))


class Net(nn.Module):
    def forward(self, x):
        out = torch.relu(x)
        out += 1
        return out


with Count() as count:
    Net()(torch.ones(2))
print(count.calls)
