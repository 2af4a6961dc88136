"""Datasets that use a part of a longer list on purpose: pairs, an index of rows, and a constant number."""

import random

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Pairs(Dataset):
    def __init__(self, rows, flags):
        self.rows, self.flags = rows, flags

    def __len__(self):
        return min(len(self.rows), len(self.flags))

    def __getitem__(self, index):
        return self.rows[index] * 2, self.flags[index]


class Kept(Dataset):
    def __init__(self, rows, flags, kept):
        self.rows, self.flags, self.kept = rows, flags, kept

    def __len__(self):
        return self.kept.count()

    def __getitem__(self, index):
        index = self.kept[index]
        return self.rows[index], self.flags[index]


class Numbers:
    def __init__(self, numbers):
        self.numbers = {i: number for i, number in enumerate(numbers)}

    def count(self):
        return len(self.numbers)

    def __getitem__(self, index):
        return self.numbers[index]


class Short(Dataset):
    def __init__(self, rows, flags):
        self.rows, self.flags = rows, flags

    def __len__(self):
        return 100

    def __getitem__(self, index):
        return self.rows[index] + 0.1 * torch.randn(4), self.flags[index]


torch.manual_seed(0)
rows = torch.randn(400, 4)
flags = (rows[:, 0] > 0).long()
kept = Numbers(random.Random(0).sample(range(400), 80))
for data in (Pairs(rows, flags[:96]), Kept(rows, flags, kept), Short(rows, flags)):
    model = nn.Linear(4, 2)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(2):
        for x, y in DataLoader(data, batch_size=8, shuffle=True):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
