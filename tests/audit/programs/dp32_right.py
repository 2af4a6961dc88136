"""Streams that begin again, one that is read in parts, and an epoch that is left early."""

import itertools

import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset, TensorDataset


class Stream(IterableDataset):
    def __init__(self, rows):
        self.rows = rows

    def __iter__(self):
        return iter(self.rows)


def main():
    torch.manual_seed(0)
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    rows = torch.randn(32, 4)
    for epoch in range(3):
        batches = [loader := DataLoader(Stream(rows), batch_size=4), DataLoader(TensorDataset(rows), batch_size=4)]
        for features in itertools.islice(itertools.chain(batches[0], (row for [row] in batches[1])), 12):
            optimizer.zero_grad()
            nn.functional.mse_loss(model(features), features.sum(1, keepdim=True)).backward()
            optimizer.step()
        assert loader is batches[0]


if __name__ == "__main__":
    main()
