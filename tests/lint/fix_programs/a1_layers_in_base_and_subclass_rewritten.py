import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv = nn.Conv2d(width, width, 1)
        self.act = nn.ReLU(inplace=True)

    def forward(self, x):
        out = self.act(self.conv(x))
        out += x
        return out


class Wide(Block):
    def __init__(self):
        super().__init__(4)
        self.pool = nn.AdaptiveAvgPool2d(1)

    def forward(self, x):
        return self.pool(super().forward(x))


torch.manual_seed(0)
x = torch.randn(2, 4, 3, 3)
before = x.clone()
with torch.no_grad():
    print(Wide()(x).flatten().tolist(), torch.equal(x, before))
