"""DP20: the file_system sharing strategy holds tensors by name, without a descriptor.

The worker chooses the strategy. A forked worker inherits the choice of the main process.

Symptom: none: 400 labels are kept, with about 10 open files
Needs:   torch; cpu, linux, 256 open files; about 2 s
Run:     python fix_file_system.py; python broken.py
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
    torch.multiprocessing.set_sharing_strategy("file_system")  # FIX: by name, no descriptor
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
