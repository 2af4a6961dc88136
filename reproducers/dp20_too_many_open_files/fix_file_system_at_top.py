"""DP20: chosen at the top level, the file_system strategy reaches forkserver workers as well.

The worker chooses the strategy. A worker that imports the script runs its top level, and so makes
the same choice.

Symptom: none: 400 labels are kept, with about 13 open files
Needs:   torch; cpu, linux, 256 open files; about 4 s
Run:     python fix_file_system_at_top.py; python broken.py
"""
import json
import os
import sys

import torch
from torch.utils.data import DataLoader, Dataset

num_samples = 400
# FIX: by name, no descriptor; at the top level, so that workers that import the script do it
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
