import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.BatchNorm1d(2) for _ in range(2)]

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


net = Net().eval()
print([layer.training for layer in net.layers], net(torch.ones(2, 2)).tolist())
