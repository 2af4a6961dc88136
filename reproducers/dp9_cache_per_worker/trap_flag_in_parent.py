"""DP9: a flag set in the main process does not reach persistent workers.

Persistent workers keep the copy of the dataset from their start. A flag that is set in the main
process later does not reach them.

Symptom: 0 hits in 3 epochs, although the cache is full after the first
Needs:   torch; cpu; about 4 s
Run:     python trap_flag_in_parent.py
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
        return torch.full(sample_shape, index, dtype=torch.uint8)


class CachedDataset(torch.utils.data.Dataset):
    def __init__(self, images):
        self.images = images
        self.cache = images[0].new_empty(len(images), *images[0].shape).share_memory_()
        self.use_cache = False

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        if not self.use_cache:
            self.cache[index] = self.images[index]
        return self.cache[index].clone()


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
        dataset.use_cache = True  # BUG: set in this process; the workers keep their False

    healthy = hits_by_epoch[1:] == [num_samples] * (epochs - 1)
    print("OBSERVED", json.dumps({"healthy": healthy, "hits_by_epoch": hits_by_epoch}))
    sys.exit(0 if healthy else 1)
