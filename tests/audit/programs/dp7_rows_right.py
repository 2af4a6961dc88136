"""Datasets that use less than they have, on purpose: a limit, strides, and a list of what is kept."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class First(Dataset):
    def __init__(self, rows, targets, limit):
        self.rows, self.targets, self.limit = rows, targets, limit

    def __len__(self):
        return min(len(self.rows), self.limit)

    def __getitem__(self, index):
        return self.rows[index], self.targets[index]


class Windows(Dataset):
    def __init__(self, rows, flags, stride):
        self.rows, self.flags, self.stride = rows, flags, stride

    def __len__(self):
        return len(self.rows) // self.stride

    def __getitem__(self, index):
        start = index * self.stride
        return self.rows[start:start + self.stride].mean(0), self.flags[start]


class Kept(Dataset):
    def __init__(self, rows, targets):
        self.rows, self.targets, self.ids = rows, targets, list(range(len(rows)))
        self.kept = [i for i in self.ids if i % 5 == 0]

    def __len__(self):
        return len(self.kept)

    def __getitem__(self, index):
        return self.rows[self.kept[index]], self.targets[self.kept[index]], index

torch.manual_seed(0)
rows = torch.randn(400, 4)
targets = (rows[:, 0] > 0).long()
for data in (First(rows, targets, 80), Windows(rows, torch.zeros(400, dtype=torch.long), 5), Kept(rows, targets)):
    model = nn.Linear(4, 2)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for x, y, *_ in DataLoader(data, batch_size=8, shuffle=True):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
