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

num_samples, batch_size = 32, 2
storage_wait = 0.060  # a measured wait that stands for one round trip to storage
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


def started(decodes, num_workers):
    made = DataLoader(Photos(decodes), batch_size, num_workers=num_workers,
                      persistent_workers=True)
    list(made)  # the first epoch also pays for starting the workers
    return made


def epoch(loader):
    """Samples per second, and which part of its time a worker computes."""
    start = time.perf_counter()
    cpu, wall = torch.cat(list(loader)).sum(0).tolist()
    return num_samples / (time.perf_counter() - start), cpu / wall


if __name__ == "__main__":
    loader_before = started(decodes=4, num_workers=2)
    loader_after = started(decodes=1, num_workers=2)  # BUG: the workers wait; they hardly compute
    # In turn, and the best of three: other work on the machine slows both, and only ever slows.
    pairs = [(epoch(loader_before), epoch(loader_after)) for _ in range(3)]

    before, cpu_share = max(pair[0] for pair in pairs)
    after, _ = max(pair[1] for pair in pairs)
    gain = after / before
    healthy = gain > 1.8
    print("OBSERVED", json.dumps({"healthy": healthy, "cpu_share_of_workers": round(cpu_share, 2),
                                  "speed_after_over_before": round(gain, 1)}))
    sys.exit(0 if healthy else 1)
