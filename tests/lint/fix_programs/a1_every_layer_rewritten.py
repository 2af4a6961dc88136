import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.third = nn.Tanh(), nn.Softmax(dim=-1), nn.LogSoftmax(dim=-1)
        self.conv = nn.Conv2d(1, 2, 3, padding=1)
        self.fourth = nn.ReLU(inplace=True)

    def forward(self, x):
        a = self.first(x)
        a -= 0.5
        b = self.second(x)
        b /= 2
        c = self.third(x)
        c[..., 0] = 7
        d = self.fourth(self.conv(x))
        d += x
        return a, b, c, d


torch.manual_seed(0)
net = Net()
with torch.no_grad():
    for item in net(torch.randn(1, 1, 3, 3)):
        print(item.shape, item.tolist(), item.stride(), item.requires_grad)
for item in net(torch.ones(1, 1, 2, 2)):
    print(item.requires_grad, item)
