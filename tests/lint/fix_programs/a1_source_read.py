import inspect

import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        out = torch.relu(x)
        out += 1
        return out


print(inspect.getsource(Net.forward), Net()(torch.ones(1)))
