"""DP9: a memory-mapped file is read by all workers.

A memory-mapped file is read through the page cache of the kernel, which all processes share.

Symptom: none: 64 of 64 samples are right in every epoch, and the workers do not grow
Needs:   torch, numpy, psutil; cpu, linux; about 6 s
Run:     python fix_memmap.py
"""
import json
import os
import sys
import tempfile

import numpy as np
import torch
from torch.utils.data import DataLoader

try:
    import psutil
except ImportError:
    print("SKIPPED psutil is not installed")
    sys.exit(77)

num_samples, sample_shape = 64, (3, 512, 342)  # 0.5 MB each, 32 MB in all
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
    def __init__(self, images, path):
        self.images = images
        self.path = path
        self.cache = None
        if not os.path.exists(path):  # FIX: decode once, into a file
            np.save(path, np.stack([images[i].numpy() for i in range(len(images))]))

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        if self.cache is None:  # FIX: each process opens the file, and the kernel shares its pages
            self.cache = np.load(self.path, mmap_mode="r")
        return torch.from_numpy(self.cache[index].copy())[:, :32, :32]


def private_mb():
    """What each worker holds and shares with no other process, in MB."""
    workers = psutil.Process().children(recursive=True)
    return [worker.memory_full_info().uss / 2**20 for worker in workers]


if __name__ == "__main__":
    torch.manual_seed(0)
    folder = tempfile.TemporaryDirectory()
    images = Images()
    dataset = CachedDataset(images, os.path.join(folder.name, "images.npy"))
    loader = DataLoader(dataset, batch_size=2, shuffle=True, num_workers=num_workers,
                        persistent_workers=True)

    hits_by_epoch, private_by_epoch = [], []
    for epoch in range(epochs):
        loads_before = int(images.loads.sum())
        for batch in loader:
            pass
        loads = int(images.loads.sum()) - loads_before
        hits_by_epoch.append(num_samples - loads)
        private_by_epoch.append(private_mb())

    first, last = private_by_epoch[0], private_by_epoch[-1]
    grown_mb = [round(after - before) for before, after in zip(first, last)]
    healthy = max(grown_mb) < 8
    print("OBSERVED", json.dumps({"healthy": healthy, "hits_by_epoch": hits_by_epoch,
                                  "grown_mb_by_process": grown_mb}))
    sys.exit(0 if healthy else 1)
