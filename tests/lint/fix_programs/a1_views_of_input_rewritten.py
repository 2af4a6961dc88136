import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        parts = []
        for row in x.unbind(0):
            out = torch.relu(row[1:])
            out[0] = -7
            parts.append(out)
        return parts, x


print(Net()(torch.arange(-4.0, 4.0).view(2, 4)))
