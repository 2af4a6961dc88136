"""DP32: the dataset hands out one generator, and from the second epoch on there is nothing.

A generator runs once. The first epoch takes all of its rows; the next ones are loops over nothing,
which raise no error.

Symptom: no error: 3 batches in the first epoch, 0 in the second and third
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
        self.rows = read_rows()  # BUG: one generator for all epochs

    def __iter__(self):
        return self.rows  # BUG: the same again


if __name__ == "__main__":
    loader = DataLoader(Rows(), batch_size=2)
    batches_by_epoch = [sum(1 for batch in loader) for epoch in range(3)]

    healthy = batches_by_epoch == [3, 3, 3]
    print("OBSERVED", json.dumps({"healthy": healthy, "batches_by_epoch": batches_by_epoch}))
    sys.exit(0 if healthy else 1)
