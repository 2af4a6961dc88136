"""The hook of weight_norm() computes the weight anew: this program wants the old one."""
import warnings

import torch
from torch import nn

warnings.simplefilter("ignore")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.utils.weight_norm(nn.Linear(2, 2, bias=False))

    def forward(self, x):
        return self.fc.forward(x)


torch.manual_seed(0)
net = Net()
x = torch.ones(1, 2)
first = net(x)
net.fc.weight_g.data *= 2
print(torch.equal(first, net(x)))
