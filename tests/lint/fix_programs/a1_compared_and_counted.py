import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = []

    def forward(self, x):
        out = torch.tanh(x)
        out *= 2
        self.seen.append(out)
        return out


net = Net()
outs = [net(torch.ones(1)) for _ in range(2)]
print(outs[0] is net.seen[0], outs.count(outs[1]), outs.index(net.seen[1]))
