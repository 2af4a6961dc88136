import torch
from torch import nn


class Distances(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.register_buffer("table", torch.zeros(size, size), persistent=False)
        self.register_buffer("cache_k", torch.zeros(0, size), persistent=False)

    def forward(self, x):
        self.cache_k = torch.cat([self.cache_k, x])
        self.table = self.table.to(x.device)
        return x + self.table
