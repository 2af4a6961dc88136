import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(2, 2), nn.Linear(2, 2)]

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


net = Net()
print(sum(p.numel() for p in net.parameters()), net(torch.ones(1, 2)).shape)
