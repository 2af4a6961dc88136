"""DP20: batches that are kept use up the file descriptors of the main process.

A tensor from a DataLoader worker lies in shared memory, and the main process holds it by an
open file descriptor, one for each tensor. Whatever keeps a tensor of the batch alive, a view
of it, a slice, or the array of .numpy(), keeps the descriptor open.

Symptom: 400 labels are kept, and there is room for their descriptors
Needs:   torch; cpu, linux; about 2 s
Run:     python fix_raise_the_limit.py; python broken.py
"""
import json
import os
import resource
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
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard < 1024:
        print("SKIPPED the hard limit of open files is below 1024")
        sys.exit(77)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))  # stands for `ulimit -Sn 256`
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, hard))  # FIX: up to the hard limit is allowed
    loader = DataLoader(Rows(), num_workers=2)
    labels = []
    for inputs, label in loader:
        labels.append(label)

    total = sum(int(label) for label in labels)
    open_files = len(os.listdir("/proc/self/fd"))
    healthy = total == sum(range(num_samples))
    print("OBSERVED", json.dumps({"healthy": healthy, "batches": len(labels),
                                  "open_files": open_files}))
    sys.exit(0 if healthy else 1)
