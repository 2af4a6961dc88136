import math

import torch
from torch import nn
from torch.autograd import Variable


class Positions(nn.Module):
    def __init__(self, width, length):
        super().__init__()
        table = torch.zeros(length, width)
        table[:, 0] = torch.arange(length) / math.sqrt(width)
        self.table = Variable(table)  # BUG
        self.mask = self.causal_mask(length)  # BUG

    def causal_mask(self, length):
        return torch.ones(length, length).tril()

    def forward(self, x):
        return (x + self.table[: len(x)]) * self.mask[: len(x), : len(x)]


class Weighted(nn.Module):
    def __init__(self, weight):
        super().__init__()
        self.pos_weight = torch.tensor([weight])  # BUG

    def forward(self, x, target):
        return nn.functional.binary_cross_entropy_with_logits(x, target, pos_weight=self.pos_weight)


class Quantiser(nn.Module):
    """It has no forward(): other modules call its methods."""

    def __init__(self, levels, mean=None):
        super().__init__()
        self.levels = torch.tensor(levels)  # BUG
        self.mean = torch.tensor(mean).view(-1, 1, 1) if mean else None  # BUG

    def quantise(self, x):
        return (x.round() % self.levels) + self.mean


class Table(nn.Module):
    def __init__(self, length, width):
        super().__init__()
        table = torch.arange(length).unsqueeze(1).expand(length, width)
        table = table * 0.1
        self.table = Variable(table.unsqueeze(1))  # BUG

    def forward(self, x):
        return self.add(x)

    def add(self, x):
        return x + self.table[: len(x)]


class Built(nn.Module):
    def __init__(self, length, width):
        super().__init__()
        self._build(length, width)
        self.state = torch.rand(1, width).cuda()  # BUG

    def _build(self, length, width):
        table = torch.zeros(length, width)
        self.table = table[None, :]  # BUG

    def forward(self, x):
        return x + self.table + self.state
