"""U9: a worker is killed because every worker holds its own copy of a large table.

The workers together exceed a budget, and the largest one gets SIGKILL, as from the kernel when
memory runs out.

Symptom: RuntimeError: DataLoader worker (pid 4711) is killed by signal: Killed.
Needs:   torch, numpy, psutil; cpu, linux; about 4 s
Run:     python broken_killed.py; python fixed.py
"""
import json
import os
import signal
import sys
import tempfile
import threading
import time

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

try:
    import psutil
except ImportError:
    print("SKIPPED psutil is not installed")
    sys.exit(77)

table_mb, num_workers = 64, 2
rows = table_mb * 2 ** 20 // 4096
budget_mb = 1.5 * table_mb  # memory for all workers together


class Features(Dataset):
    def __init__(self, path):
        self.path, self.table = path, None

    def __len__(self):
        return 200

    def __getitem__(self, index):
        if self.table is None:
            self.table = np.load(self.path)  # BUG: one copy in each worker
        time.sleep(0.05)
        return torch.tensor(self.table[index * rows // 200, 0])


def private_mb(process):
    return process.memory_full_info().uss / 2 ** 20


def stand_in_for_the_kernel():
    """Kills the largest worker, as the kernel does when memory runs out."""
    while True:
        sizes = {worker.pid: private_mb(worker) for worker in psutil.Process().children()}
        if sum(sizes.values()) > budget_mb:
            os.kill(max(sizes, key=sizes.get), signal.SIGKILL)
            return
        time.sleep(0.01)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "table.npy")
        np.save(path, np.ones((rows, 4096), dtype=np.uint8))
        threading.Thread(target=stand_in_for_the_kernel, daemon=True).start()
        rows_seen = len(list(DataLoader(Features(path), num_workers=num_workers,
                                        multiprocessing_context="fork")))

    healthy = rows_seen == 200
    print("OBSERVED", json.dumps({"healthy": healthy, "rows_seen": rows_seen}))
    sys.exit(0 if healthy else 1)
