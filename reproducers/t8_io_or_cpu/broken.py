"""T8: the loader is the bottleneck, and the cure that was chosen is for the other bottleneck.

Workers spend their time in two ways: they wait for storage, or they compute (decode, augment).
Waiting is cured by more workers or nearer data, computing by less work per sample or more cores.
CPU time over wall time inside the workers says which: near 0 they wait, near 1 they compute.

Symptom: decoding is made four times cheaper, and the loader is not one bit faster
Needs:   torch; cpu; about 4 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys
import time
import zlib

import torch
from torch.utils.data import DataLoader, Dataset

num_samples, batch_size = 48, 2
storage_wait = 0.025  # a measured wait that stands for one round trip to storage
packed = zlib.compress(bytes(range(256)) * 1024)  # a real decode, of 256 KB


class Photos(Dataset):
    def __init__(self, decodes):
        self.decodes = decodes

    def __len__(self):
        return num_samples

    def __getitem__(self, index):
        wall, cpu = time.perf_counter(), time.process_time()
        time.sleep(storage_wait)
        for _ in range(self.decodes):
            zlib.decompress(packed)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        return torch.tensor([cpu, wall], dtype=torch.float64)  # in place of the sample


def epoch(decodes, num_workers):
    """Samples per second, and which part of its time a worker computes."""
    loader = DataLoader(Photos(decodes), batch_size, num_workers=num_workers,
                        persistent_workers=True)
    list(loader)  # the first epoch also pays for starting the workers
    start = time.perf_counter()
    times = torch.cat(list(loader))
    seconds = time.perf_counter() - start
    cpu, wall = times.sum(0).tolist()
    return num_samples / seconds, cpu / wall


if __name__ == "__main__":
    before, cpu_share = epoch(decodes=4, num_workers=2)
    after, _ = epoch(decodes=1, num_workers=2)  # BUG: the workers wait; they hardly compute

    gain = after / before
    healthy = gain > 1.8
    print("OBSERVED", json.dumps({"healthy": healthy, "cpu_share_of_workers": round(cpu_share, 2),
                                  "speed_after_over_before": round(gain, 1)}))
    sys.exit(0 if healthy else 1)
