"""DP18: with persistent_workers a change to the dataset does not reach the workers.

Each worker gets a copy of the dataset when it starts. Without persistent_workers it starts
anew every epoch, so what the main process set in between arrives as if by itself. A
persistent worker keeps the copy of its first epoch, and later changes are made to another one.

Symptom: sizes 32, 64 and 96 are asked for, and 32 comes in all three epochs
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, Dataset

epochs = 3


class Photos(Dataset):
    def __init__(self):
        self.size = 32  # BUG: every worker has a number of its own

    def __len__(self):
        return 8

    def __getitem__(self, index):
        size = int(self.size)
        return torch.zeros(3, size, size)


if __name__ == "__main__":
    dataset = Photos()
    loader = DataLoader(dataset, batch_size=4, num_workers=2, persistent_workers=True)
    wanted, got = [], []
    for epoch in range(epochs):
        dataset.size = 32 * (epoch + 1)  # BUG: set in the main process only
        wanted.append(32 * (epoch + 1))
        got.append(sorted({batch.shape[-1] for batch in loader}))

    got = [sizes[0] if len(sizes) == 1 else str(sizes) for sizes in got]
    healthy = got == wanted
    print("OBSERVED", json.dumps({"healthy": healthy, "wanted_size_by_epoch": wanted,
                                  "got_size_by_epoch": got}))
    sys.exit(0 if healthy else 1)
