"""DP9: a cache in shared memory is filled once, by all workers together.

A tensor in shared memory is the same memory in all processes. What one worker stores in it, every
worker can read, and it outlives the workers.

Symptom: none: 0 hits in the first epoch, then 64 of 64
Needs:   torch; cpu; about 4 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader

num_samples, sample_shape = 64, (3, 32, 32)
num_workers, epochs = 2, 3


class Images(torch.utils.data.Dataset):
    """Reads and decodes image files, and counts how often it does."""

    def __init__(self):
        self.loads = torch.zeros(num_samples, dtype=torch.int64).share_memory_()

    def __len__(self):
        return num_samples

    def __getitem__(self, index):
        self.loads[index] += 1
        return torch.full(sample_shape, 100 + index, dtype=torch.uint8)


class CachedDataset(torch.utils.data.Dataset):
    def __init__(self, images):
        self.images = images
        self.cache = images[0].new_empty(len(images), *images[0].shape).share_memory_()
        self.filled = torch.zeros(len(images), dtype=torch.bool).share_memory_()  # FIX: shared

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        if not self.filled[index]:  # FIX
            self.cache[index] = self.images[index]
            self.filled[index] = True  # FIX
        return self.cache[index].clone()


if __name__ == "__main__":
    torch.manual_seed(0)
    images = Images()
    dataset = CachedDataset(images)
    loader = DataLoader(dataset, batch_size=2, shuffle=True, num_workers=num_workers)

    hits_by_epoch = []
    for epoch in range(epochs):
        loads_before = int(images.loads.sum())
        for batch in loader:
            pass
        loads = int(images.loads.sum()) - loads_before
        hits_by_epoch.append(num_samples - loads)

    healthy = hits_by_epoch[1:] == [num_samples] * (epochs - 1)
    print("OBSERVED", json.dumps({"healthy": healthy, "hits_by_epoch": hits_by_epoch}))
    sys.exit(0 if healthy else 1)
