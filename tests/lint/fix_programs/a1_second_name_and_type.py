import torch
from torch import nn
import torch.nn.functional as F

class Net(nn.Module):
    def forward(self, x, a):
        out = torch.relu(x); second = out
        out += (  # this comment stays
            a | 1)
        total = torch.tanh(x).to(x.dtype)
        weights = F.softmax(x, dim=0)
        weights -= a.double() - 1 if a.sum() else 0
        return out, second, weights.dtype
with torch.no_grad():
    print(Net()(torch.ones(2), torch.tensor([4, 2])))
