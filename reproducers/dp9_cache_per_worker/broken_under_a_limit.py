"""DP9: if the memory of a process is limited, a growing cache ends in a MemoryError.

The cache of each worker grows with every epoch. If the memory of a process is limited, an
allocation in the worker fails at some point.

Symptom: RuntimeError: Caught MemoryError in DataLoader worker process 1
Needs:   torch, numpy, psutil; cpu, linux; about 6 s
Run:     python broken_under_a_limit.py
"""
import json
import sys

import numpy as np
import torch
from torch.utils.data import DataLoader

if sys.platform != "linux":
    print("SKIPPED this is not Linux")
    sys.exit(77)
try:
    import psutil
    import resource
except ImportError:
    print("SKIPPED psutil is not installed")
    sys.exit(77)

num_samples, sample_bytes = 64, 512 * 1024  # 32 MB in all
num_workers, epochs = 2, 5


class Images(torch.utils.data.Dataset):
    """Reads and decodes image files, and counts how often it does."""

    def __init__(self):
        self.loads = torch.zeros(num_samples, dtype=torch.int64).share_memory_()

    def __len__(self):
        return num_samples

    def __getitem__(self, index):
        self.loads[index] += 1
        return np.full(sample_bytes, index, dtype=np.uint8)


def limit_memory(worker_id):
    """What `ulimit -d` does: 24 MB more than at the start, then no more."""
    limit = psutil.Process().memory_info().data + 24 * 2**20
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


class CachedDataset(torch.utils.data.Dataset):
    def __init__(self, images):
        self.images = images
        self.cache = {}  # BUG: each worker fills its own

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        if index not in self.cache:
            self.cache[index] = self.images[index]
        return self.cache[index].max()


if __name__ == "__main__":
    torch.manual_seed(0)
    images = Images()
    dataset = CachedDataset(images)
    loader = DataLoader(dataset, batch_size=2, shuffle=True, num_workers=num_workers,
                        persistent_workers=True, worker_init_fn=limit_memory)

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
