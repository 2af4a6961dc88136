"""DP17: gc.freeze() before the workers start keeps the garbage collector away from the dataset.

Frozen objects are ignored by later collections, so their pages are not written to and stay
shared. Reading an object still copies its page.

Symptom: none: 40 samples are read, one garbage collection in each worker, and neither grows
Needs:   torch, psutil; cpu, linux; about 3 s
Run:     python fix_gc_freeze.py; python broken_gc.py
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
    return get_worker_info().id, private_mb() - at_start, len(samples)


class Boxes(Dataset):
    def __init__(self):
        self.boxes = [(i, [i]) for i in range(num_samples)]

    def __getitem__(self, index):
        return self.boxes[index]


if __name__ == "__main__":
    dataset = Boxes()
    gc.collect()  # so that no automatic one comes while the workers start
    gc.freeze()  # FIX: before the workers start; the collector then ignores these objects
    loader = DataLoader(dataset, batch_size=10, sampler=range(num_read), num_workers=2,
                        collate_fn=collate, worker_init_fn=note_start,
                        multiprocessing_context="fork")
    grown_mb, samples_read = [0, 0], 0
    for worker, grown, count in loader:
        grown_mb[worker] = max(grown_mb[worker], round(grown))
        samples_read += count

    healthy = samples_read == num_read and max(grown_mb) < 8
    print("OBSERVED", json.dumps({"healthy": healthy, "samples_read": samples_read,
                                  "grown_mb_by_worker": grown_mb}))
    sys.exit(0 if healthy else 1)
