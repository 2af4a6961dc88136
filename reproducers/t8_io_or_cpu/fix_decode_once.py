"""T8: the loader is the bottleneck, and the cure that was chosen is for the other bottleneck.

Workers spend their time in two ways: they wait for storage, or they compute (decode, augment).
Waiting is cured by more workers or nearer data, computing by less work per sample or more cores.
CPU time over wall time inside the workers says which: near 0 they wait, near 1 they compute.

Symptom: the files are stored decoded, and the loader is many times faster
Needs:   torch, numpy; cpu; about 4 s
Run:     python broken_cpu_bound.py; python fix_decode_once.py
"""
import json
import sys
import time
import zlib

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

torch.set_num_threads(1)
num_samples = 16
storage_wait = 0.002  # a measured wait that stands for one round trip to storage
pixels = np.random.RandomState(0).randint(0, 16, 2 ** 22, dtype=np.uint8)
packed = zlib.compress(pixels.tobytes(), 1)  # unpacking it is a real decode: tens of ms of CPU


class Photos(Dataset):
    def __init__(self, wait, decoded=None):
        self.wait, self.decoded = wait, decoded

    def __len__(self):
        return num_samples

    def __getitem__(self, index):
        wall, cpu = time.perf_counter(), time.process_time()
        time.sleep(self.wait)
        if self.decoded is None:
            image = np.frombuffer(zlib.decompress(packed), dtype=np.uint8)
        else:
            image = self.decoded
        assert image[index] == pixels[index]
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        return torch.tensor([cpu, wall], dtype=torch.float64)  # in place of the sample


def epoch(dataset):
    """Samples per second, and which part of its time a worker computes."""
    batches = iter(DataLoader(dataset, num_workers=1))
    times = [next(batches)]  # the first batch also pays for starting workers
    start = time.perf_counter()
    times += list(batches)
    seconds = time.perf_counter() - start
    cpu, wall = torch.cat(times).sum(0).tolist()
    return num_samples / seconds, cpu / wall


if __name__ == "__main__":
    before, cpu_share = epoch(Photos(storage_wait))
    ahead = Photos(storage_wait, decoded=pixels)  # FIX: decoded ahead, once
    after = max(epoch(ahead)[0] for _ in range(3))  # an epoch this short is easily disturbed

    gain = after / before
    healthy = gain > 2.5
    print("OBSERVED", json.dumps({"healthy": healthy, "cpu_share_of_workers": round(cpu_share, 2),
                                  "speed_after_over_before": round(gain, 1)}))
    sys.exit(0 if healthy else 1)
