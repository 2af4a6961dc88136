import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def forward(self, x):
        out = torch.relu(x)
        out += x * self.fc(x)
        return out


torch.manual_seed(0)
net = Net()
net(torch.ones(1, 2)).sum().backward()
print(net.fc.weight.grad, net.fc.bias.grad)
