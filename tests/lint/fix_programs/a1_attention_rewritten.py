import math

import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(width, width), nn.Linear(width, width), nn.Linear(width, width)
        self.heads = heads

    def split(self, x):
        return x.view(x.size(0), x.size(1), self.heads, -1).transpose(1, 2)

    def forward(self, x, mask=None):
        q, k, v = self.split(self.q(x)), self.split(self.k(x)), self.split(self.v(x))
        weights = F.softmax(q.matmul(k.transpose(-1, -2)) / math.sqrt(q.size(-1)), dim=-1)
        weights[..., 0] = 0
        if mask is not None:
            weights = weights.masked_fill(mask, 0)
        return weights.matmul(v).transpose(1, 2).flatten(2)


torch.manual_seed(0)
net = Attention(4, 2)
x = torch.randn(1, 3, 4)
with torch.no_grad():
    print(net(x), net(x, torch.ones(3, 3).bool().triu(1)).sum().item())
