import torch
from torch import nn


class Registry:
    def register_forward_hook(self, hook):
        return hook


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.act = nn.Linear(2, 2), nn.ReLU(inplace=True)
        self.kept = []

    def keep(self, module, inputs, output):
        self.kept.append(output)

    def forward(self, x):
        out = self.act(self.fc(x))
        out += 1
        return out


net = Net()
net.fc.register_forward_hook(net.keep)
with torch.no_grad():
    out = net(torch.ones(1, 2))
print(net.kept[0].min().item() >= 1)
