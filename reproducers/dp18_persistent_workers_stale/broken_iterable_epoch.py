"""DP18: a stream whose shuffle depends on set_epoch has one order for all epochs.

set_epoch changes the stream in the main process. The persistent worker iterates its own copy,
whose epoch stays 0.

Symptom: a stream shuffled by its epoch number comes in the same order in every epoch
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
        self.epoch = epoch  # BUG: in the main process; the worker's copy stays at 0

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
