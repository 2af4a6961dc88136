"""A hook that runs its own module by forward(), by way of a helper."""
import torch
from torch import nn

net = nn.Linear(2, 2)


def raw(x):
    return net.forward(x)


net.register_forward_hook(lambda module, inputs, output: output + raw(inputs[0]))
print(net(torch.ones(1, 2)).shape)
