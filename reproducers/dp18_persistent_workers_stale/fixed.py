"""DP18: a value in shared memory, written in place, reaches persistent workers.

The tensor's memory belongs to all processes. fill_ writes into it, so the workers see the new
value without a message.

Symptom: none: sizes 32, 64 and 96 are asked for, and come
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader
from torch.utils.data import Dataset

epochs = 3


class Photos(Dataset):
    def __init__(self):
        self.size = torch.tensor(32).share_memory_()  # FIX: one tensor for all processes

    def __len__(self):
        return 8

    def __getitem__(self, index):
        size = int(self.size)
        return torch.zeros(3, size, size)


def train(dataset, train_step):
    loader = DataLoader(dataset, batch_size=4, num_workers=2, persistent_workers=True)
    for epoch in range(epochs):
        dataset.size.fill_(32 * (epoch + 1))  # FIX: in place, before iter(loader)
        for batch in loader:
            train_step(epoch, batch)


if __name__ == "__main__":
    wanted = [32, 64, 96]
    seen = [set() for epoch in range(epochs)]
    train(Photos(), lambda epoch, batch: seen[epoch].add(batch.shape[-1]))

    got = [sizes.pop() if len(sizes) == 1 else str(sorted(sizes)) for sizes in seen]
    healthy = got == wanted
    print("OBSERVED", json.dumps({"healthy": healthy, "wanted_size_by_epoch": wanted,
                                  "got_size_by_epoch": got}))
    sys.exit(0 if healthy else 1)
