"""DP20: tensors kept from a DataLoader use up the limit of open files.

Each tensor that comes from a worker holds a file descriptor for its shared memory, as long as
anything that uses this memory is kept. A list of labels keeps one descriptor for each batch.

Symptom: 400 labels are collected, and the loop ends in `Too many open files`
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
        labels.append(label)  # BUG: one open descriptor for each label

    total = sum(int(label) for label in labels)
    open_files = len(os.listdir("/proc/self/fd"))
    healthy = total == sum(range(num_samples))
    print("OBSERVED", json.dumps({"healthy": healthy, "batches": len(labels),
                                  "open_files": open_files}))
    sys.exit(0 if healthy else 1)
