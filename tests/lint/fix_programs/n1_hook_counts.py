import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(2, 2)
        self.calls = 0
        self.encoder.register_forward_hook(self.count)

    def count(self, *_):
        self.calls += 1

    def forward(self, x):
        return self.encoder.forward(x)


net = Net()
net(torch.ones(1, 2))
print(net.calls)
