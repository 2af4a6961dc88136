import torch
from torch import nn

mask = torch.ones(3)
def f(x):
    mask.to(x.dtype)
    return x * mask
x = torch.ones(1, 2)
x.double()
print(f(torch.ones(3)), nn.Identity()(x).dtype)
