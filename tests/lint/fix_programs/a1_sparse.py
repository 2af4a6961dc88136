import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        out = torch.relu(x)
        out *= 2
        return out


print(Net()(torch.eye(3).to_sparse()), Net()(torch.tensor(-1)))
