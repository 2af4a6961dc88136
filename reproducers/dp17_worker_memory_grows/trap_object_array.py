"""DP17: a numpy array of dtype object does not help, it still holds Python objects.

The array holds pointers. The strings behind them have reference counts, as in a list.

Symptom: np.array(paths, dtype=object): every worker grows as with the list
Needs:   torch, numpy, psutil; cpu, linux; about 4 s
Run:     python trap_object_array.py; python fixed.py
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

num_samples = 300_000  # 22 MB as a list of str


def private_mb():
    """Memory of this process that no other process shares (USS)."""
    return psutil.Process().memory_full_info().uss / 2**20


def note_start(worker_id):
    global at_start
    at_start = private_mb()


def collate(samples):  # a real one would load the files
    return get_worker_info().id, samples[0], private_mb() - at_start


class Photos(Dataset):
    def __init__(self):
        paths = ["/data/train/%08d.jpg" % i for i in range(num_samples)]
        self.paths = np.array(paths, dtype=object)  # BUG: an array of pointers to str

    def __len__(self):
        return num_samples

    def __getitem__(self, index):
        return self.paths[index]


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
