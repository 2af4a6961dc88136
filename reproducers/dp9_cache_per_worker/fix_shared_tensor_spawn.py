"""DP9: a cache in the dataset is never hit, or grows in every DataLoader worker until RAM is full.

Each worker is a process with its own copy of the dataset. What it puts into a dict there, no
other process sees, and when the epoch ends the worker and its dict are gone. Kept alive by
persistent_workers, with shuffle, every worker's dict grows towards the whole data set.

Symptom: none: the shared tensors reach spawned workers as they are
Needs:   torch, numpy, psutil; cpu; about 10 s
Run:     python fix_shared_tensor_spawn.py
"""
import json
import sys

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, get_worker_info

try:
    import psutil
except ImportError:
    print("SKIPPED psutil is not installed")
    sys.exit(77)

num_samples, sample_bytes = 64, 512 * 1024  # 32 MB in all
num_workers, epochs = 2, 3
load_calls = 0


def load(index):
    """Stands for reading and decoding a file."""
    global load_calls
    load_calls += 1
    return np.full(sample_bytes, index, dtype=np.uint8)


def private_mb():
    """What this process holds and shares with no other process."""
    return psutil.Process().memory_full_info().uss / 2**20


class CachedDataset(Dataset):
    def __init__(self):
        self.cache = torch.empty(num_samples, sample_bytes, dtype=torch.uint8).share_memory_()
        self.filled = torch.zeros(num_samples, dtype=torch.bool).share_memory_()  # FIX: seen by all

    def __len__(self):
        return num_samples

    def __getitem__(self, index):
        private, calls = private_mb(), load_calls
        if not self.filled[index]:
            self.cache[index] = torch.from_numpy(load(index))
            self.filled[index] = True
        sample = self.cache[index].clone()
        assert sample.max() == index
        return get_worker_info().id, load_calls == calls, private  # in place of the sample


if __name__ == "__main__":
    torch.manual_seed(0)
    loader = DataLoader(CachedDataset(), batch_size=2, shuffle=True, num_workers=num_workers,
                        collate_fn=list, persistent_workers=True, multiprocessing_context="spawn")
    hits_by_epoch, grown_mb = [], [[] for _ in range(num_workers)]
    at_start = {}
    for epoch in range(epochs):
        seen = [sample for batch in loader for sample in batch]
        hits_by_epoch.append(sum(hit for _, hit, _ in seen))
        for worker in range(num_workers):
            private = [mb for w, _, mb in seen if w == worker]
            at_start.setdefault(worker, private[0])
            grown_mb[worker].append(round(max(private) - at_start[worker]))

    all_hits = hits_by_epoch[1:] == [num_samples] * (epochs - 1)
    healthy = all_hits and max(map(max, grown_mb)) < 10
    print("OBSERVED", json.dumps({"healthy": healthy, "hits_by_epoch": hits_by_epoch,
                                  "grown_mb_by_worker_and_epoch": grown_mb}))
    sys.exit(0 if healthy else 1)
