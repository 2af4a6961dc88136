"""The layers stay in float32 on purpose."""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(2, 2), nn.Linear(2, 2)]

    def forward(self, x):
        for layer in self.layers:
            x = layer(x.float())
        return x


print(Net().half()(torch.ones(1, 2).half()).dtype)
