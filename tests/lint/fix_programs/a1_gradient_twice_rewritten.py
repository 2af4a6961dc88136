import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x, y):
        out = torch.exp(x)
        out += y
        return out


y = torch.ones(2, requires_grad=True)
loss = (Net()(torch.zeros(2), y) * 3).sum()
loss.backward(retain_graph=True)
loss.backward()
print(y.grad, loss)
