"""DP18: an epoch counter in shared memory gives a stream a new order in every epoch.

set_epoch writes into a shared tensor, which the persistent worker reads when it starts to iterate.

Symptom: none: 3 epochs, 3 orders
Needs:   torch; cpu; about 2 s
Run:     python fix_iterable_epoch.py; python broken_iterable_epoch.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader
from torch.utils.data import IterableDataset


class Stream(IterableDataset):
    def __init__(self, source):
        self.source = source
        self.epoch = torch.tensor(0).share_memory_()  # FIX: one counter for all processes

    def set_epoch(self, epoch):
        self.epoch.fill_(epoch)  # FIX: in place

    def __iter__(self):
        order = torch.Generator().manual_seed(int(self.epoch))
        for index in torch.randperm(len(self.source), generator=order).tolist():
            yield self.source[index]


if __name__ == "__main__":
    stream = Stream(list(range(8)))
    loader = DataLoader(stream, batch_size=None, num_workers=1, persistent_workers=True)
    orders = []
    for epoch in range(3):
        stream.set_epoch(epoch)
        orders.append(list(loader))

    healthy = orders[0] != orders[1] != orders[2] != orders[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "order_by_epoch": orders}))
    sys.exit(0 if healthy else 1)
