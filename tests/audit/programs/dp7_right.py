"""Trains on a table that is gone through twice in each epoch."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Table(Dataset):
    def __init__(self, rows, targets):
        keep = rows[:, 0] > -1
        self.rows, self.targets = rows[keep], targets[keep]

    def __len__(self):
        return 2 * len(self.rows)

    def __getitem__(self, index):
        index %= len(self.rows)
        return self.rows[index], self.targets[index]


torch.manual_seed(0)
loader = DataLoader(Table(torch.randn(100, 5), torch.randn(100, 1)), batch_size=10, shuffle=True)
model = nn.Linear(5, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(2):
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
