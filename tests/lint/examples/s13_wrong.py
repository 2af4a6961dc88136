import torch
from torch import nn


class Blocks(nn.Module):
    def forward(self, x):
        b, n, h, d = x.size()
        return x.contiguous().view(b, h, n, d)  # BUG


def to_time_first(series):
    batch, time, width = series.shape
    series = series.reshape((time, batch, width))  # BUG
    return torch.cumsum(series, 0)
