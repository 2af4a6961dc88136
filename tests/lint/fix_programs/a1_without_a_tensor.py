import torch
from torch import nn

class Value(float):
    def exp(self):
        return 2.0
class Net(nn.Module):
    def forward(self, x, value):
        out = value.exp()
        out += 1
        return x * out
print(Net()(torch.ones(2), Value(3)))
