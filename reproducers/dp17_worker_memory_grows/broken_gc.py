"""DP17: one garbage collection in a worker copies all containers of the dataset.

The collector writes to the header of every tuple, list and dict that it visits, whether the
worker reads it or not. The kernel then copies all these pages.

Symptom: 40 samples are read, and one garbage collection makes the worker hold the whole list
Needs:   torch, psutil; cpu, linux; about 3 s
Run:     python broken_gc.py; python fix_gc_freeze.py
"""
import gc
import json
import sys

import torch
from torch.utils.data import DataLoader, Dataset, get_worker_info

try:
    import psutil
except ImportError:
    print("SKIPPED psutil is not installed")
    sys.exit(77)

num_samples = 150_000
num_read = 40


def private_mb():
    """Memory of this process that no other process shares (USS)."""
    return psutil.Process().memory_full_info().uss / 2**20


def note_start(worker_id):
    global at_start
    at_start = private_mb()


def collate(samples):
    gc.collect()  # Python does this from time to time
    return get_worker_info().id, private_mb() - at_start


class Boxes(Dataset):
    def __init__(self):
        self.boxes = [(i, [i]) for i in range(num_samples)]  # BUG: containers have gc headers

    def __len__(self):
        return num_samples

    def __getitem__(self, index):
        return self.boxes[index]


if __name__ == "__main__":
    dataset = Boxes()
    gc.collect()  # so that no automatic one comes while the workers start
    loader = DataLoader(dataset, batch_size=10, sampler=range(num_read), num_workers=2,
                        collate_fn=collate, worker_init_fn=note_start,
                        multiprocessing_context="fork")
    grown_mb = [0, 0]
    for worker, grown in loader:
        grown_mb[worker] = max(grown_mb[worker], round(grown))

    healthy = max(grown_mb) < 8
    print("OBSERVED", json.dumps({"healthy": healthy, "samples_read": num_read,
                                  "grown_mb_by_worker": grown_mb}))
    sys.exit(0 if healthy else 1)
