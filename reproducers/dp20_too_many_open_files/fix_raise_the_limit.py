"""DP20: a higher limit has room for the descriptors of 400 labels.

A process may raise its soft limit up to the hard limit. Each kept label still holds a descriptor.

Symptom: none: 400 labels are kept, with about 410 open files
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
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))  # as `ulimit -Sn 256` does
    # FIX: a process may raise its own limit up to the hard one
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(65536, hard), hard))
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
