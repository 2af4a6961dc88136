"""DP17: DataLoader workers grow while they only read a dataset of many Python objects.

A forked worker shares the pages of its parent until one of the two writes to them. Reading a
Python object is a write: its reference count lies beside it and is counted up and down. So a
list of many small objects is copied page by page into every worker, up to its whole size.

Symptom: dicts of different size, 2 workers, and neither of them grows
Needs:   torch, numpy, psutil; cpu, linux; about 4 s
Run:     python fix_packed_records.py; python broken.py
"""
import json
import pickle
import sys

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, get_worker_info

try:
    import psutil
except ImportError:
    print("SKIPPED psutil is not installed")
    sys.exit(77)

num_samples = 100_000


def private_mb():
    """What this process holds and shares with no other process (USS)."""
    return psutil.Process().memory_full_info().uss / 2**20


def note_start(worker_id):
    global at_start
    at_start = private_mb()


def collate(samples):  # stands for loading the files
    return get_worker_info().id, samples[0], private_mb() - at_start


class Photos(Dataset):
    def __init__(self):
        records = [{"path": "/data/train/%08d.jpg" % i, "boxes": list(range(i % 4))}
                   for i in range(num_samples)]
        packed = [pickle.dumps(record, protocol=4) for record in records]
        self.data = np.frombuffer(b"".join(packed), dtype=np.uint8)  # FIX: two arrays in all
        self.ends = np.cumsum([len(one) for one in packed])

    def __len__(self):
        return num_samples

    def __getitem__(self, index):
        start = self.ends[index - 1] if index else 0
        return pickle.loads(self.data[start:self.ends[index]].tobytes())["path"]


if __name__ == "__main__":
    torch.manual_seed(0)
    loader = DataLoader(Photos(), batch_size=5000, shuffle=True, num_workers=2,
                        collate_fn=collate, worker_init_fn=note_start,
                        multiprocessing_context="fork")
    grown_mb = [[], []]
    for epoch in range(2):
        seen = list(loader)
        assert all(path.startswith("/data/train/") for _, path, _ in seen)
        for worker in range(2):
            grown_mb[worker].append(round(max(mb for w, _, mb in seen if w == worker)))

    healthy = max(map(max, grown_mb)) < 8
    print("OBSERVED", json.dumps({"healthy": healthy, "grown_mb_by_worker_and_epoch": grown_mb}))
    sys.exit(0 if healthy else 1)
