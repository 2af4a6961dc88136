"""T8: a wrapper that tells whether the workers wait or compute.

The wrapper measures CPU time and time inside the worker. A share near 0 means that it waits, near 1
that it computes.

Symptom: none: a share near 0 for samples that wait, near 1 for samples that are decoded
Needs:   torch; cpu, linux; about 5 s
Run:     python fix_measure_the_workers.py
"""
import glob
import json
import sys
import time
import zlib

import torch
from torch.utils.data import DataLoader, Dataset

if not glob.glob("/proc/self/task/*/schedstat"):
    print("SKIPPED needs Linux with /proc/self/schedstat")
    sys.exit(77)


class Waiting(Dataset):
    def __len__(self):
        return 12

    def __getitem__(self, index):
        time.sleep(0.100)  # stands for one round trip to storage
        return torch.tensor(index)


class Decoding(Waiting):
    packed = zlib.compress(bytes(range(256)) * 2 ** 16)

    def __getitem__(self, index):
        return torch.tensor(len(zlib.decompress(self.packed)))


def seconds_in_queue(path):
    """How long a thread has waited for a core; 0 if the thread has just ended."""
    try:
        with open(path) as file:
            return int(file.read().split()[1]) / 1e9
    except OSError:
        return 0


def cpu_seconds():
    """CPU time of this process, and the time of its threads in the queue for a core (Linux)."""
    queues = glob.glob("/proc/self/task/*/schedstat")
    return time.process_time() + sum(map(seconds_in_queue, queues))


class Measured(Dataset):
    """Wraps a dataset, and returns CPU seconds and seconds instead of the sample."""

    def __init__(self, dataset):
        self.dataset = dataset

    def __len__(self):
        return len(self.dataset)

    def __getitem__(self, index):
        wall, cpu = time.perf_counter(), cpu_seconds()
        self.dataset[index]
        return cpu_seconds() - cpu, time.perf_counter() - wall


def cpu_share(dataset, samples=200):
    """Near 0: the workers wait. Near 1: they compute."""
    pairs = [pair for pair, _ in zip(DataLoader(Measured(dataset), num_workers=2), range(samples))]
    return sum(cpu.item() for cpu, _ in pairs) / sum(wall.item() for _, wall in pairs)


if __name__ == "__main__":
    waiting, decoding = cpu_share(Waiting()), cpu_share(Decoding())

    healthy = waiting < 0.4 and decoding > 0.6  # FIX: tells the two apart
    print("OBSERVED", json.dumps({"healthy": healthy, "share_when_waiting": round(waiting, 2),
                                  "share_when_decoding": round(decoding, 2)}))
    sys.exit(0 if healthy else 1)
