import torch
from torch import nn


class Relative(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.query = nn.Linear(width, width)
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        head = nn.Linear(x.shape[-1], 2).to(x.device)  # BUG
        return head(self.query(x) * self.scale) + self.bias(x)

    def bias(self, x):
        weight = nn.Parameter(torch.randn(x.shape[1], 2))  # BUG
        return nn.BatchNorm1d(2)(x @ weight)  # BUG
