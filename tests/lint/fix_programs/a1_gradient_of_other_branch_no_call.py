import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def forward(self, x):
        extra = self.fc(x)
        out = torch.relu(x)
        out += extra
        out.requires_grad_()
        return out, x.requires_grad


torch.manual_seed(0)
net = Net()
out, flag = net(torch.ones(1, 2))
out.sum().backward()
print(out, flag, net.fc.weight.grad)
