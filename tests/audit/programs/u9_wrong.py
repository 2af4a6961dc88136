"""Trains on a large table, which each worker makes for itself when it first needs it."""

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Features(Dataset):
    def __init__(self, rows):
        self.rows, self.table = rows, None

    def __len__(self):
        return 200

    def __getitem__(self, index):
        if self.table is None:
            self.table = np.ones((self.rows, 64), dtype=np.float32)
        return torch.from_numpy(self.table[index * 7]), index % 2

if __name__ == "__main__":
    torch.multiprocessing.set_start_method("fork")
    torch.manual_seed(0)
    loader = DataLoader(Features(160000), batch_size=20, shuffle=True, num_workers=2)
    model = nn.Linear(64, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
