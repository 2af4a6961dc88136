"""Trains on lines of text that a stream tokenizes, with two workers."""

import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Lines(IterableDataset):
    def __init__(self, lines, length):
        self.lines, self.length = lines, length

    def __iter__(self):
        info = get_worker_info()
        for line in self.lines[info.id::info.num_workers]:
            ids = [ord(c) % 64 for c in line][:self.length]
            yield torch.tensor(ids + [0] * (self.length - len(ids))), len(line) % 2


if __name__ == "__main__":
    torch.manual_seed(0)
    lines = [f"line {i} says {i * i % 97} and {i * 7 % 13}" for i in range(120)]
    loader = DataLoader(Lines(lines, 24), batch_size=16, num_workers=2)
    model = nn.Sequential(nn.Embedding(64, 8), nn.Flatten(), nn.Linear(24 * 8, 2))
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(2):
        for ids, label in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(ids), label).backward()
            optimizer.step()
