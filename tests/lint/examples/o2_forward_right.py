import torch
from torch import nn


class Lazy(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.head = None
        self.scale = nn.Parameter(torch.ones(width).cuda())

    def forward(self, x):
        if self.head is None:
            self.head = nn.Linear(x.shape[-1], 2)
        with torch.no_grad():
            mixing = nn.Linear(2, 2)
        return mixing(self.head(x) * self.scale) + self.start(x)

    def start(self, x):
        state = nn.Parameter(torch.zeros(1, x.shape[0], 2))
        return state
