"""DP20: the array of .numpy() keeps the shared memory and its descriptor.

numpy() makes no copy. The array uses the same memory as the tensor from the worker.

Symptom: the arrays of .numpy() are kept, and the limit is reached as with the tensors
Needs:   torch; cpu, linux, 256 open files; about 2 s
Run:     python trap_numpy.py; python fixed.py
"""
import json
import os
import sys

import torch
from torch.utils.data import DataLoader, Dataset

num_samples = 400


class Rows(Dataset):
    def __len__(self):
        return num_samples

    def __getitem__(self, index):
        return torch.randn(3), index


if __name__ == "__main__":
    loader = DataLoader(Rows(), num_workers=2)
    labels = []
    for inputs, label in loader:
        labels.append(label.numpy())  # BUG: an array over the same shared memory

    total = sum(int(label) for label in labels)
    open_files = len(os.listdir("/proc/self/fd"))
    healthy = total == sum(range(num_samples))
    print("OBSERVED", json.dumps({"healthy": healthy, "batches": len(labels),
                                  "open_files": open_files}))
    sys.exit(0 if healthy else 1)
