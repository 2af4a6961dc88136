import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        é = "größe"; out = (torch.relu(
            x  # all
        )); out *= 2
        return out


print(Net()(torch.ones(2)))
