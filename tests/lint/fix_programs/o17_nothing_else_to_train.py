import torch
from torch import nn

torch.manual_seed(0)
net, x = nn.Linear(2, 1), torch.ones(3, 2)
def steps():
    for _ in range(2):
        yield x

net.requires_grad = False
net(x).mean().backward()
print(net.bias.grad)
