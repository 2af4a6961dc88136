"""DP20: detach(), cpu() and slices keep the shared memory and its descriptor.

None of them makes a copy of a CPU tensor. The result uses the same memory as the tensor from the
worker.

Symptom: the results of .detach().cpu()[:1] are kept, and the limit is reached as before
Needs:   torch; cpu, linux, 256 open files; about 2 s
Run:     python trap_detach_cpu.py; python fixed.py
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
        labels.append(label.detach().cpu()[:1])  # BUG: three times the same memory

    total = sum(int(label) for label in labels)
    open_files = len(os.listdir("/proc/self/fd"))
    healthy = total == sum(range(num_samples))
    print("OBSERVED", json.dumps({"healthy": healthy, "batches": len(labels),
                                  "open_files": open_files}))
    sys.exit(0 if healthy else 1)
