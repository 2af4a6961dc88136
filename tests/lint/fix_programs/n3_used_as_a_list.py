import torch
from torch import nn

class Net(nn.Module):
    values = None
    def __init__(self):
        super().__init__()
        self.values = [nn.Linear(8, 8), nn.Linear(8, 8)]
        self.children = [nn.Linear(8, 8), nn.Linear(8, 8)]
        self.a = [nn.Linear(8, 8), nn.Linear(8, 8)]
        self.a = list(reversed(self.a))
        self.b = [nn.Linear(8, 8), nn.Linear(8, 8)]
        self.b.append(torch.relu)
        self.c = [nn.Linear(8, 8), nn.Linear(8, 8)]
        self.c.sort(key=id)
        self.hidden = [nn.Linear(8, 8)]
    def forward(self, x):
        layers = self.hidden, self.values, self.children, self.a, self.b + [1]
        return sum(len(item) for item in layers) * x
net = Net()
print(net(1), net.values[0], len(net.children), len(list(net.parameters())))
