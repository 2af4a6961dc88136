"""DP30: a lock that another thread had at the fork stays locked in the worker forever.

fork() copies the lock in its locked state. The thread that would release it exists only in the
main process.

Symptom: RuntimeError: DataLoader timed out after 5 seconds (without timeout=5 it hangs)
Needs:   torch; cpu, linux; about 8 s
Run:     python broken_lock.py
"""
import json
import sys
import threading

import torch
from torch.utils.data import DataLoader, Dataset

num_samples, batch_size = 8, 2


class Cached(Dataset):
    def __init__(self):
        self.lock = threading.Lock()
        self.cache = {}

    def __len__(self):
        return num_samples

    def refresh(self, busy, finish):
        """What a background thread does now and then."""
        with self.lock:
            busy.set()
            finish.wait()

    def __getitem__(self, index):
        with self.lock:
            return self.cache.setdefault(index, torch.tensor(float(index)))


if __name__ == "__main__":
    dataset = Cached()
    busy, finish = threading.Event(), threading.Event()
    refresh = threading.Thread(target=dataset.refresh, args=(busy, finish), daemon=True)
    refresh.start()
    busy.wait()
    loader = DataLoader(dataset, batch_size=batch_size, num_workers=1, timeout=5,
                        multiprocessing_context="fork")
    batches = iter(loader)  # BUG: forks while another thread has the lock
    finish.set()
    refresh.join()
    total = sum(float(batch.sum()) for batch in batches)

    healthy = total == sum(range(num_samples))
    print("OBSERVED", json.dumps({"healthy": healthy, "total": total}))
    sys.exit(0 if healthy else 1)
