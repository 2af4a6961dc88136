"""DP30: a thread pool of the dataset has no thread in the worker.

The pool remembers that its thread exists, so it starts no new one. In the forked worker that thread
does not exist, and result() waits forever.

Symptom: RuntimeError: DataLoader timed out after 5 seconds (without timeout=5 it hangs)
Needs:   torch; cpu, linux; about 8 s
Run:     python broken_thread_pool.py
"""
import json
import sys
from concurrent.futures import ThreadPoolExecutor

import torch
from torch.utils.data import DataLoader, Dataset

num_samples, batch_size = 8, 2


class Downloaded(Dataset):
    def __init__(self):
        self.pool = ThreadPoolExecutor(1)

    def __len__(self):
        return num_samples

    def __getitem__(self, index):
        return self.pool.submit(torch.tensor, float(index)).result()


if __name__ == "__main__":
    dataset = Downloaded()
    first = float(dataset[0])  # the thread of the pool starts, in the main process
    loader = DataLoader(dataset, batch_size=batch_size, num_workers=1, timeout=5,
                        multiprocessing_context="fork")  # BUG: the worker has the pool, no thread
    total = sum(float(batch.sum()) for batch in loader)

    healthy = total == sum(range(num_samples)) + first
    print("OBSERVED", json.dumps({"healthy": healthy, "total": total}))
    sys.exit(0 if healthy else 1)
