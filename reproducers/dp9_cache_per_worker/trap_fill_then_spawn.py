"""DP9: a cache in the dataset is never hit, or grows in every DataLoader worker until RAM is full.

Each worker is a process with its own copy of the dataset. What it puts into a dict there, no
other process sees, and when the epoch ends the worker and its dict are gone. Kept alive by
persistent_workers, with shuffle, every worker's dict grows towards the whole data set.

Symptom: each worker gets a copy of its own of all 32 MB, before the first sample
Needs:   torch, numpy, psutil; cpu; about 10 s
Run:     python trap_fill_then_spawn.py
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
    def __init__(self, filled):
        self.cache = {i: load(i) for i in range(num_samples)} if filled else {}

    def __len__(self):
        return num_samples

    def __getitem__(self, index):
        private, calls = private_mb(), load_calls
        sample = self.cache[index] if self.cache else load(index)
        assert sample.max() == index
        return get_worker_info().id, load_calls == calls, private  # in place of the sample


def private_by_worker(filled, num_workers):
    loader = DataLoader(CachedDataset(filled), num_workers=num_workers, collate_fn=list,
                        multiprocessing_context="spawn")  # BUG: pickles the cache per worker
    seen = [sample for batch in loader for sample in batch]
    return [max(mb for w, _, mb in seen if w == worker) for worker in range(num_workers)]


if __name__ == "__main__":
    empty_mb, = private_by_worker(filled=False, num_workers=1)
    copied_mb = [round(mb - empty_mb) for mb in private_by_worker(filled=True, num_workers=2)]

    healthy = max(copied_mb) < 10
    print("OBSERVED", json.dumps({"healthy": healthy, "copied_mb_by_worker": copied_mb}))
    sys.exit(0 if healthy else 1)
