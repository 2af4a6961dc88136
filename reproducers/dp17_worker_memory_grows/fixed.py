"""DP17: the same file names in one numpy array of bytes stay shared by all workers.

The array is one Python object with one reference count. Reading an element writes nothing to the
memory that holds the names, so no page is copied.

Symptom: none: 300000 file names, and no worker grows by 8 MB
Needs:   torch, numpy, psutil; cpu, linux; about 4 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import numpy as np
import torch
from torch.utils.data import DataLoader, get_worker_info
from torch.utils.data import Dataset

try:
    import psutil
except ImportError:
    print("SKIPPED psutil is not installed")
    sys.exit(77)

num_samples = 300_000  # 32 MB as a list of str


def private_mb():
    """Memory of this process that no other process shares (USS)."""
    return psutil.Process().memory_full_info().uss / 2**20


def note_start(worker_id):
    global at_start
    at_start = private_mb()


def collate(samples):  # a real one would load the files
    return get_worker_info().id, samples[0], private_mb() - at_start


class Photos(Dataset):
    def __init__(self, paths):
        self.paths = np.array([path.encode() for path in paths])  # FIX: one block of bytes

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        return self.paths[index].decode()  # FIX: bytes back to str


if __name__ == "__main__":
    torch.manual_seed(0)
    dataset = Photos(["/data/größe/%08d.jpg" % i for i in range(num_samples)])
    loader = DataLoader(dataset, batch_size=5000, shuffle=True, num_workers=2,
                        collate_fn=collate, worker_init_fn=note_start,
                        multiprocessing_context="fork")
    grown_mb = [[], []]
    for epoch in range(2):
        seen = list(loader)
        assert all(path.startswith("/data/größe/") for _, path, _ in seen)
        for worker in range(2):
            grown_mb[worker].append(round(max(mb for w, _, mb in seen if w == worker)))

    healthy = max(map(max, grown_mb)) < 8
    print("OBSERVED", json.dumps({"healthy": healthy, "grown_mb_by_worker_and_epoch": grown_mb}))
    sys.exit(0 if healthy else 1)
