"""DP17: records of different size, pickled into one array of bytes, stay shared by all workers.

Two numpy arrays hold the bytes and the offsets. A worker unpickles the one record that it needs,
which is new memory, freed after use.

Symptom: none: 100000 dicts, 2 workers, and neither of them grows
Needs:   torch, numpy, psutil; cpu, linux; about 4 s
Run:     python fix_packed_records.py; python broken.py
"""
import json
import pickle
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

num_samples = 100_000


def private_mb():
    """Memory of this process that no other process shares (USS)."""
    return psutil.Process().memory_full_info().uss / 2**20


def note_start(worker_id):
    global at_start
    at_start = private_mb()


def collate(samples):  # a real one would load the files
    return get_worker_info().id, samples[0], private_mb() - at_start


class Records(Dataset):
    def __init__(self, records):
        packed = [pickle.dumps(record, protocol=4) for record in records]
        self.data = np.frombuffer(b"".join(packed), dtype=np.uint8)  # FIX: two arrays in all
        self.ends = np.cumsum([len(one) for one in packed])

    def __len__(self):
        return len(self.ends)

    def __getitem__(self, index):
        start = self.ends[index - 1] if index else 0
        record = pickle.loads(self.data[start:self.ends[index]].tobytes())
        return record["path"]


def print_worker_memory():
    for child in psutil.Process().children():
        print(child.pid, child.memory_full_info().uss >> 20, "MB")


if __name__ == "__main__":
    torch.manual_seed(0)
    dataset = Records([{"path": "/data/train/%08d.jpg" % i, "boxes": list(range(i % 4))}
                       for i in range(num_samples)])
    loader = DataLoader(dataset, batch_size=5000, shuffle=True, num_workers=2,
                        collate_fn=collate, worker_init_fn=note_start,
                        multiprocessing_context="fork")
    grown_mb = [[], []]
    for epoch in range(2):
        seen = []
        for step, batch in enumerate(loader):
            if step % 10 == 0:
                print_worker_memory()
            seen.append(batch)
        assert all(path.startswith("/data/train/") for _, path, _ in seen)
        for worker in range(2):
            grown_mb[worker].append(round(max(mb for w, _, mb in seen if w == worker)))

    healthy = max(map(max, grown_mb)) < 8
    print("OBSERVED", json.dumps({"healthy": healthy, "grown_mb_by_worker_and_epoch": grown_mb}))
    sys.exit(0 if healthy else 1)
