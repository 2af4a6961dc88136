import torch
from torch import nn


class Excite(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.pool, self.fc, self.gate = nn.AdaptiveAvgPool2d(1), nn.Linear(width, width), nn.Sigmoid()

    def forward(self, x):
        scale = self.gate(self.fc(self.pool(x).flatten(1)))
        scale *= 2
        return x * scale[:, :, None, None]


torch.manual_seed(0)
net = Excite(2)
with torch.no_grad():
    print(net(torch.randn(1, 2, 2, 2)))
print(net, [p.shape for p in net.parameters()])
