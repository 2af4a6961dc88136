import torch
from torch import nn


class Blocks(nn.Module):
    def forward(self, x, mask):
        b, n, h, d = x.size()
        x = x.transpose(1, 2)
        x = x.reshape(b, h, n, d)  # has this shape
        batch, heads, rows = mask.shape
        mask = mask.view(batch, heads, 1, rows) + mask.view(batch, heads, rows).unsqueeze(3)
        return x + mask.view(batch, rows, heads, 1, -1)


def join(x, other):
    batch, time, width = x.shape
    width = 2 * width
    pair = torch.cat([x, other], 2).view(batch, width, time)
    b, c, t = other.shape
    return pair, x.view(b, t, c), other.view(b * t, c)


class Pool(nn.Module):
    def __init__(self):
        super().__init__()
        self.score, self.classes = nn.Linear(8, 1), nn.Linear(8, 3)

    def forward(self, x):
        return (torch.softmax(self.score(x), dim=1) * x).sum(1)


def count_right(loader, policy, state, other):
    pool = Pool()
    for x, y in loader:
        other += (nn.Linear(8, 3)(x).argmax(1) == y).sum()
    return other, policy(state).argmax(0), pool.classes(state).argmax(1), torch.max(pool(state), other)
