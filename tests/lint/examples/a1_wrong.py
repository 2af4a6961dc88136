import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.act = nn.Conv2d(8, 8, 3, padding=1), nn.ReLU()

    def forward(self, x, mask):
        out = self.act(self.conv(x))
        out += x  # BUG
        weights = torch.softmax(out, dim=1)
        weights[mask] = 0  # BUG
        return out * weights


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(8, 24)

    def forward(self, x):
        projected = self.project(x)
        q, k, v = projected.chunk(3, -1)
        q *= 0.125  # BUG
        return torch.softmax(q @ k.transpose(-2, -1), -1) @ v
