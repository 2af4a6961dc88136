"""DP18: with persistent_workers a change to the dataset does not reach the workers.

Each worker gets a copy of the dataset when it starts. Without persistent_workers it starts
anew every epoch, so what the main process set in between arrives as if by itself. A
persistent worker keeps the copy of its first epoch, and later changes are made to another one.

Symptom: a stream shuffled by the number of its epoch comes in one and the same order
Needs:   torch; cpu; about 2 s
Run:     python broken_iterable_epoch.py; python fixed.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, IterableDataset


class Stream(IterableDataset):
    epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch  # BUG: in the main process; the persistent worker is at 0 for ever

    def __iter__(self):
        order = torch.Generator().manual_seed(self.epoch)
        return iter(torch.randperm(8, generator=order).tolist())


if __name__ == "__main__":
    stream = Stream()
    loader = DataLoader(stream, batch_size=None, num_workers=1, persistent_workers=True)
    orders = []
    for epoch in range(3):
        stream.set_epoch(epoch)
        orders.append(list(loader))

    healthy = orders[0] != orders[1] != orders[2] != orders[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "order_by_epoch": orders}))
    sys.exit(0 if healthy else 1)
