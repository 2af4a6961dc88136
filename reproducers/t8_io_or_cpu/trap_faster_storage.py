"""T8: faster storage does not help workers that compute.

The worker spends its time decoding. Faster storage saves almost nothing of it.

Symptom: storage becomes ten times faster, and the loader is hardly faster
Needs:   torch, numpy; cpu; about 5 s
Run:     python trap_faster_storage.py; python fix_decode_once.py
"""
import json
import sys
import time
import zlib

import numpy as np
import torch
from torch.utils.data import DataLoader

torch.set_num_threads(1)
num_samples = 16
pixels = np.random.RandomState(0).randint(0, 16, 2 ** 22, dtype=np.uint8)
packed = zlib.compress(pixels.tobytes(), 1)  # unpacking it is a real decode: tens of ms of CPU


class Photos(torch.utils.data.Dataset):
    def __init__(self, storage_wait):
        self.storage_wait = storage_wait

    def __len__(self):
        return num_samples

    def __getitem__(self, index):
        time.sleep(self.storage_wait)
        return torch.tensor(len(zlib.decompress(packed)))


def started(storage_wait):
    loader = DataLoader(Photos(storage_wait), num_workers=1, persistent_workers=True)
    list(loader)  # a first epoch, to start the worker
    return loader


def seconds(loader):
    start = time.perf_counter()
    list(loader)
    return time.perf_counter() - start


if __name__ == "__main__":
    disk, memory = started(0.002), started(0.0002)  # BUG: the worker computes, it hardly waits
    # In turn, and the best of two: other work on the machine can only add time.
    pairs = [(seconds(disk), seconds(memory)) for _ in range(2)]

    gain = min(pair[0] for pair in pairs) / min(pair[1] for pair in pairs)
    healthy = gain > 2.5
    print("OBSERVED", json.dumps({"healthy": healthy, "speed_after_over_before": round(gain, 1)}))
    sys.exit(0 if healthy else 1)
