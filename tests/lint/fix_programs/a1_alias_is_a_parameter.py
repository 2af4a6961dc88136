import torch
from torch import nn

act = torch.relu


def length(x):
    return len(x)


class Net(nn.Module):
    def forward(self, x, act):
        out = act(x)
        out += 1
        return out


print(Net()(torch.ones(3), length))
