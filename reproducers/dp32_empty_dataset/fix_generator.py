"""DP32: the dataset starts its generator in __iter__, so each epoch has all rows.

The loader calls __iter__ once for each epoch.

Symptom: none: 3 batches in each of 3 epochs
Needs:   torch; cpu; about 2 s
Run:     python broken_generator.py; python fix_generator.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, IterableDataset


def read_rows():
    for number in range(6):
        yield torch.tensor([float(number)])


class Rows(IterableDataset):
    def __init__(self):
        self.read = read_rows  # FIX: the function, not what it returns

    def __iter__(self):
        return self.read()  # FIX: a new generator in each epoch


if __name__ == "__main__":
    loader = DataLoader(Rows(), batch_size=2)
    batches_by_epoch = [sum(1 for batch in loader) for epoch in range(3)]

    healthy = batches_by_epoch == [3, 3, 3]
    print("OBSERVED", json.dumps({"healthy": healthy, "batches_by_epoch": batches_by_epoch}))
    sys.exit(0 if healthy else 1)
