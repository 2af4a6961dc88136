"""U9: a table that is loaded before the fork exists once.

The table is loaded before the workers start. Forked workers share the memory of their parent as
long as none of them writes to it.

Symptom: none: the private memory of the workers is a few MB, beside a table of 256 MB
Needs:   torch, numpy, psutil; cpu, linux; about 4 s
Run:     python trap_sum_of_rss.py; python fix_load_before_fork.py
"""
import json
import sys

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, get_worker_info

try:
    import psutil
except ImportError:
    print("SKIPPED psutil is not installed")
    sys.exit(77)

table_mb, num_workers = 256, 2
rows = table_mb * 2 ** 20 // 4096


class Features(Dataset):
    def __init__(self):
        self.table = np.ones((rows, 4096), dtype=np.uint8)  # before the fork: one for all

    def __len__(self):
        return 8

    def __getitem__(self, index):
        self.table[index * rows // 8:(index + 1) * rows // 8].max()  # reads its part
        return get_worker_info().id, memory_mb()


def memory_mb():
    return psutil.Process().memory_full_info().uss / 2 ** 20  # FIX: private pages only


if __name__ == "__main__":
    dataset = Features()
    most = [0.0] * num_workers
    for worker, mb in DataLoader(dataset, num_workers=num_workers, multiprocessing_context="fork"):
        most[worker.item()] = max(most[worker.item()], mb.item())

    copies = (sum(most) + table_mb) / table_mb  # those of the workers, and the main process's
    healthy = copies < 2.5 and min(most) > 0
    print("OBSERVED", json.dumps({"healthy": healthy, "copies_in_all": round(copies, 1),
                                  "mb_by_worker": [round(mb) for mb in most]}))
    sys.exit(0 if healthy else 1)
