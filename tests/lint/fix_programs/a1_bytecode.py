import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        out = torch.relu(x)
        out += 1
        return out


print(Net.forward.__code__.co_names, Net()(torch.ones(1)))
