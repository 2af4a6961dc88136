import functools

import torch
from torch import nn


def tolerant(function):
    @functools.wraps(function)
    def call(*args):
        try:
            return function(*args)
        except RuntimeError as error:
            return type(error).__name__

    return call


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def forward(self, x):
        out = torch.exp(self.fc(x))
        out -= 1
        return out


@tolerant
def train(net):
    net(torch.ones(1, 2)).sum().backward()
    return "trained"


print(train(Net()))
