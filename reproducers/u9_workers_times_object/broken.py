"""U9: every DataLoader worker holds its own copy of a large table.

A worker shares with its parent only memory that existed before a fork and is not written to, shared
memory and mapped files. Everything that a worker loads, changes or receives by pickle (under spawn)
is private to it: one copy per worker, and again for each rank.

Symptom: a table of 64 MB takes about 64 MB in each of 2 workers
Needs:   torch, numpy, psutil; cpu, linux; about 4 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import os
import sys
import tempfile

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

try:
    import psutil
except ImportError:
    print("SKIPPED psutil is not installed")
    sys.exit(77)

table_mb, num_workers = 64, 2
rows = table_mb * 2 ** 20 // 4096


class Features(Dataset):
    def __init__(self, path):
        self.path, self.table = path, None

    def __len__(self):
        return 6

    def __getitem__(self, index):
        if self.table is None:  # opened in the worker, so nothing is pickled
            self.table = np.load(self.path)  # BUG: one copy in each worker
        self.table.max()  # reads the whole table, so that each of its pages counts
        return torch.from_numpy(np.array(self.table[index]))


def private_mb(process):
    """Memory of a process that no other process shares (USS)."""
    return process.memory_full_info().uss / 2 ** 20


def private_mb_by_worker(dataset):
    loader = DataLoader(dataset, num_workers=num_workers, persistent_workers=True,
                        multiprocessing_context="fork")
    list(loader)
    return [private_mb(worker) for worker in psutil.Process().children()]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        big, small = os.path.join(folder, "big.npy"), os.path.join(folder, "small.npy")
        np.save(big, np.ones((rows, 4096), dtype=np.uint8))
        np.save(small, np.ones((6, 4096), dtype=np.uint8))
        bare = private_mb_by_worker(Features(small))  # the memory that any worker takes
        by_worker = [mb - least for mb, least in zip(private_mb_by_worker(Features(big)), bare)]

    copies = max(0.0, sum(by_worker) / table_mb)
    healthy = copies < 1 and len(by_worker) == num_workers
    print("OBSERVED", json.dumps({"healthy": healthy, "copies_in_workers": round(copies, 1),
                                  "private_mb_by_worker": [max(0, round(mb)) for mb in by_worker]}))
    sys.exit(0 if healthy else 1)
