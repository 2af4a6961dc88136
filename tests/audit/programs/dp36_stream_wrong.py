"""Files of one class each, one after the other, as a stream."""

import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset


class Files(IterableDataset):
    def __iter__(self):
        for label in range(5):
            for _ in range(42):
                yield torch.randn(8) + label, label


def main():
    torch.manual_seed(0)
    model = nn.Linear(8, 5)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for features, labels in DataLoader(Files(), batch_size=10):
        loss = nn.functional.cross_entropy(model(features), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
