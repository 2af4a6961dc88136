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


def count_right(model, test_loader, found):
    for x, y in test_loader:
        best = model(x).argmax(dim=0)  # BUG
        found += (best == y).sum().item()
    return found


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 4), nn.ReLU(), nn.Linear(4, 1), nn.Sigmoid())

    def forward(self, x):
        return self.body(x)


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 1)

    def forward(self, x):
        return torch.sigmoid(self.body(x))


def detect(x):
    model, gate = Detector(), Gate()
    z = model(x)
    _, found = torch.max(z, 1)  # BUG
    return found, gate(x).argmax(-1)  # BUG
