"""T8: with more workers than cores, computing workers seem to wait.

Workers that share a core wait for it most of the time. Their CPU share is low, as if they were
waiting for storage.

Symptom: four workers on one core are as fast as one, and each of them seems to wait
Needs:   torch, numpy; cpu, linux; about 4 s
Run:     python trap_more_workers_than_cores.py; python fix_count_the_queue.py
"""
import json
import os
import sys
import time
import zlib

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

if not hasattr(os, "sched_setaffinity") or not os.path.exists("/proc/self/schedstat"):
    print("SKIPPED needs Linux with /proc/self/schedstat")
    sys.exit(77)

torch.set_num_threads(1)
num_samples = 16
pixels = np.random.RandomState(0).randint(0, 16, 2 ** 20, dtype=np.uint8)
packed = zlib.compress(pixels.tobytes(), 1)  # unpacking it is a real decode


class Photos(Dataset):
    def __len__(self):
        return num_samples

    def __getitem__(self, index):
        wall, cpu = time.perf_counter(), cpu_seconds()
        for _ in range(4):
            zlib.decompress(packed)
        wall, cpu = time.perf_counter() - wall, cpu_seconds() - cpu
        return torch.tensor([cpu, wall], dtype=torch.float64)  # instead of the sample


def cpu_seconds():
    return time.process_time()  # BUG: waiting for a core looks like waiting for storage


def epoch(num_workers):
    """Samples per second, and the share of its time that a worker computes."""
    batches = iter(DataLoader(Photos(), num_workers=num_workers))
    times = [next(batches)]  # the first batch includes the start of the workers
    start = time.perf_counter()
    times += list(batches)
    seconds = time.perf_counter() - start
    cpu, wall = torch.cat(times).sum(0).tolist()
    return num_samples / seconds, cpu / wall


if __name__ == "__main__":
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # a machine with one core
    one, _ = epoch(num_workers=1)
    four, cpu_share = epoch(num_workers=4)

    says = "computing" if cpu_share > 0.6 else "waiting"
    healthy = says == "computing"
    print("OBSERVED", json.dumps({"healthy": healthy, "cpu_share_of_workers": round(cpu_share, 2),
                                  "speed_of_4_workers_over_1": round(four / one, 1),
                                  "the_measurement_says": says}))
    sys.exit(0 if healthy else 1)
