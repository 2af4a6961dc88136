"""A stream over a generator, which the first epoch uses up."""

import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset


class Stream(IterableDataset):
    def __init__(self, rows):
        self.rows = (row for row in rows)

    def __iter__(self):
        return self.rows


def main():
    torch.manual_seed(0)
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    loader = DataLoader(Stream(torch.randn(32, 4)), batch_size=4)
    for epoch in range(3):
        for features in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(features), features.sum(1, keepdim=True)).backward()
            optimizer.step()


if __name__ == "__main__":
    main()
