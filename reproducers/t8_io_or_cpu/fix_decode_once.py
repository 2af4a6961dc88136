"""T8: samples that are stored decoded cost the workers almost nothing.

The samples are stored decoded, so a worker only reads them.

Symptom: none: a sample costs about the CPU time of reading its pixels
Needs:   torch, numpy; cpu; about 4 s
Run:     python broken_cpu_bound.py; python fix_decode_once.py
"""
import json
import os
import sys
import tempfile
import time
import zlib

import numpy as np
import torch
from torch.utils.data import DataLoader

torch.set_num_threads(1)
num_samples = 8
pixels = np.random.RandomState(0).randint(0, 16, 2 ** 22, dtype=np.uint8)


class Photos(torch.utils.data.Dataset):
    def __init__(self, folder):
        self.packed, self.decoded = os.path.join(folder, "packed"), os.path.join(folder, "decoded")
        with open(self.packed, "wb") as file:
            file.write(zlib.compress(pixels.tobytes(), 1))  # stands for a JPEG
        with open(self.decoded, "wb") as file:
            file.write(pixels.tobytes())

    def __len__(self):
        return num_samples

    def load(self, index):
        with open(self.decoded, "rb") as file:
            data = file.read()  # FIX: decoded once, when the file was written
        return np.frombuffer(data, dtype=np.uint8)

    def __getitem__(self, index):
        before = time.process_time()
        image = self.load(index)
        cpu = time.process_time() - before
        assert image[index] == pixels[index]
        return torch.tensor(cpu, dtype=torch.float64)  # instead of the sample


def seconds_to_read(path):
    before = time.process_time()
    with open(path, "rb") as file:
        file.read()
    return time.process_time() - before


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        dataset = Photos(folder)
        plain_read = min(seconds_to_read(dataset.decoded) for _ in range(8))
        cost = min(cpu.item() for cpu in DataLoader(dataset, num_workers=1))

    ratio = cost / plain_read
    healthy = ratio < 15
    print("OBSERVED", json.dumps({"healthy": healthy, "cpu_time_over_a_plain_read":
                                  round(ratio, 1)}))
    sys.exit(0 if healthy else 1)
