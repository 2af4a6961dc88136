"""U9: under spawn a tensor in shared memory is not copied.

A tensor in shared memory is sent to a worker as a handle, so the worker uses the same memory.

Symptom: none: a table of 128 MB takes 0 MB in the worker
Needs:   torch, psutil; cpu, linux; about 8 s
Run:     python broken_spawn_array.py; python fix_spawn_shared_tensor.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, Dataset

try:
    import psutil
except ImportError:
    print("SKIPPED psutil is not installed")
    sys.exit(77)

table_mb = 128
rows = table_mb * 2 ** 20 // 4096


class Features(Dataset):
    def __init__(self):
        self.table = torch.ones(rows, 4096, dtype=torch.uint8).share_memory_()  # FIX

    def __len__(self):
        return 1

    def __getitem__(self, index):
        assert self.table[index, 0] == 1
        with_table = private_mb()
        self.table = None  # the memory this frees was private to the worker
        return with_table - private_mb()


def private_mb():
    """Memory of this process that no other process shares (USS)."""
    return psutil.Process().memory_full_info().uss / 2 ** 20


if __name__ == "__main__":
    loader = DataLoader(Features(), num_workers=1, multiprocessing_context="spawn")
    own_mb = next(iter(loader)).item()

    copies = max(0.0, own_mb / table_mb)
    healthy = copies < 0.5
    print("OBSERVED", json.dumps({"healthy": healthy, "copies_in_the_worker": round(copies, 1),
                                  "private_mb": max(0, round(own_mb))}))
    sys.exit(0 if healthy else 1)
