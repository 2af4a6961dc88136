import torch
from torch import nn


class Loud(torch.Tensor):
    def clone(self, *args, **kwargs):
        print("cloned")
        return super().clone(*args, **kwargs)


class Net(nn.Module):
    def forward(self, x):
        out = torch.relu(x)
        out += 1
        return out


print(Net()(torch.ones(2).as_subclass(Loud)).tolist())
