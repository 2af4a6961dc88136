"""DP20: batches that are kept use up the file descriptors of the main process.

A tensor from a DataLoader worker lies in shared memory, and the main process holds it by an
open file descriptor, one for each tensor. Whatever keeps a tensor of the batch alive, a view
of it, a slice, or the array of .numpy(), keeps the descriptor open.

Symptom: 400 labels are kept, next to no descriptor is in use, by forkserver workers too
Needs:   torch; cpu, linux, 256 open files; about 4 s
Run:     python fix_file_system_at_top.py; python broken.py
"""
import json
import os
import sys

import torch
from torch.utils.data import DataLoader, Dataset

num_samples = 400
# FIX: by name, no descriptor; at the top level, where workers that import the script do it too
torch.multiprocessing.set_sharing_strategy("file_system")


class Rows(Dataset):
    def __len__(self):
        return num_samples

    def __getitem__(self, index):
        return torch.randn(3), index


if __name__ == "__main__":
    loader = DataLoader(Rows(), num_workers=2, multiprocessing_context="forkserver")
    labels = []
    for inputs, label in loader:
        labels.append(label)

    total = sum(int(label) for label in labels)
    open_files = len(os.listdir("/proc/self/fd"))
    healthy = total == sum(range(num_samples))
    print("OBSERVED", json.dumps({"healthy": healthy, "batches": len(labels),
                                  "open_files": open_files}))
    sys.exit(0 if healthy else 1)
