import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        out = torch.relu(x)
        out += 1
        return out


x = torch.ones(2, requires_grad=True)
out = Net()(x)
print(out, out.requires_grad, x.grad)
y = torch.ones(2)
result = Net()(y)
result.requires_grad_()
(result * 3).sum().backward()
print(result.grad, y.grad)
