import torch
from torch import nn

net = nn.Linear(2, 2)
net.register_forward_hook(lambda module, inputs, output: output * 0)


def raw(x):
    return net.forward(x)


x = torch.ones(1, 2)
print(raw(x).abs().sum().item() > 0, net(x).abs().sum().item())
