import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        out = torch.sqrt(x)
        out[0], y = 9.0, 1
        out[1:] = out[:-1] * y
        return out


print(Net()(torch.arange(1.0, 5.0)))
