"""DP9: an lru_cache of 8 samples has next to no hits.

An lru_cache keeps the samples that were used last. In an epoch a sample comes again only after
all others, and by then it has been dropped.

Symptom: at most 3 hits in 64 samples
Needs:   torch; cpu; about 4 s
Run:     python trap_lru_cache.py
"""
import functools
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
        return torch.full(sample_shape, index, dtype=torch.uint8)


class CachedDataset(torch.utils.data.Dataset):
    """Keeps the 8 samples that were used last."""

    def __init__(self, images):
        self.images = images

    def __len__(self):
        return len(self.images)

    @functools.lru_cache(maxsize=8)  # BUG: a sample is dropped long before it is used again
    def fetch(self, index):
        return self.images[index]

    def __getitem__(self, index):
        return self.fetch(index)


if __name__ == "__main__":
    torch.manual_seed(0)
    images = Images()
    dataset = CachedDataset(images)
    loader = DataLoader(dataset, batch_size=2, shuffle=True, num_workers=num_workers,
                        persistent_workers=True)

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
