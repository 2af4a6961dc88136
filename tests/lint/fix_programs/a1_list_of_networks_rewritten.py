import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.act, self.scale = nn.Softmax(dim=0), scale

    def forward(self, x):
        out = self.act(x)
        out /= self.scale
        return out


nets = [Net(scale) for scale in (1, 2)]
x = torch.arange(3.0)
print([net(x) for net in nets], max(net(x).sum().item() for net in nets), sorted(map(len, [x, x])))
