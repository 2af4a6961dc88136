"""DP9: a dict filled before the workers are spawned is copied into each of them.

A forked worker reads the memory of its parent. A spawned worker gets the dataset as a pickle, so
everything in it is copied.

Symptom: each worker holds 31 MB more, for a set of 32 MB
Needs:   torch, psutil; cpu; about 10 s
Run:     python trap_fill_then_spawn.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader

try:
    import psutil
except ImportError:
    print("SKIPPED psutil is not installed")
    sys.exit(77)

num_samples, sample_shape = 64, (3, 512, 342)  # 0.5 MB each, 32 MB in all


class CachedDataset(torch.utils.data.Dataset):
    def __init__(self, filled):
        self.cache = {}
        if filled:
            for i in range(num_samples):
                self.cache[i] = torch.full(sample_shape, i, dtype=torch.uint8).numpy()

    def __len__(self):
        return num_samples

    def __getitem__(self, index):
        """What this worker holds and shares with no other process, in MB."""
        return psutil.Process().memory_full_info().uss / 2**20


def private_by_worker(filled, num_workers):
    loader = DataLoader(CachedDataset(filled), num_workers=num_workers, batch_size=None,
                        multiprocessing_context="spawn")  # BUG: pickles the cache for each worker
    return list(loader)[:num_workers]


if __name__ == "__main__":
    empty_mb, = private_by_worker(filled=False, num_workers=1)
    copied_mb = [round(mb - empty_mb) for mb in private_by_worker(filled=True, num_workers=2)]

    healthy = max(copied_mb) < 10
    print("OBSERVED", json.dumps({"healthy": healthy, "copied_mb_by_worker": copied_mb}))
    sys.exit(0 if healthy else 1)
