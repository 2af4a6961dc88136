import torch
from torch import nn

torch.relu = lambda x: x.shape[0]


class Net(nn.Module):
    def forward(self, x):
        out = torch.relu(x)
        out += 1
        return out


print(Net()(torch.ones(3)))
