"""DP20: clones of the tensors can be kept without their descriptors.

clone() copies the label into ordinary memory. The tensor from the worker is released with the
batch, and its descriptor is closed.

Symptom: none: 400 labels are kept, with about 10 open files
Needs:   torch; cpu, linux, 256 open files; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
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
    for step, (inputs, label) in enumerate(loader):
        if step % 50 == 0:
            print(step, len(os.listdir("/proc/self/fd")))
        labels.append(label.clone())  # FIX: a copy outside shared memory

    total = sum(int(label) for label in labels)
    open_files = len(os.listdir("/proc/self/fd"))
    healthy = total == sum(range(num_samples))
    print("OBSERVED", json.dumps({"healthy": healthy, "batches": len(labels),
                                  "open_files": open_files}))
    sys.exit(0 if healthy else 1)
