import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        out = torch.relu(x)
        out += 2
        out -= 1
        return out, out.dtype, out.numel(), out.dim()


print(Net()(torch.tensor([[-1, 2]])), Net()(torch.tensor(3)), Net()(torch.zeros(0)))
