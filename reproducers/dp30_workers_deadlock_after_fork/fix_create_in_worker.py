"""DP30: a dataset that creates its pool and its lock in each worker.

worker_init_fn runs in the worker, after the fork. get_worker_info().dataset is the worker's copy of
the dataset.

Symptom: none: all batches arrive
Needs:   torch; cpu, linux; about 3 s
Run:     python fix_create_in_worker.py
"""
import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import torch
from torch.utils.data import DataLoader, Dataset, get_worker_info

num_samples, batch_size = 8, 2


class Downloaded(Dataset):
    def __init__(self):
        self.create()

    def create(self):
        self.pool, self.lock = ThreadPoolExecutor(1), threading.Lock()

    def __len__(self):
        return num_samples

    def __getitem__(self, index):
        with self.lock:
            return self.pool.submit(torch.tensor, float(index)).result()


def create_again(worker_id):
    get_worker_info().dataset.create()  # FIX: threads and locks of this process


if __name__ == "__main__":
    dataset = Downloaded()
    first = float(dataset[0])  # the thread of the pool starts, in the main process
    dataset.lock.acquire()  # as a background thread may have it at the fork
    loader = DataLoader(dataset, batch_size=batch_size, num_workers=1, timeout=5,
                        multiprocessing_context="fork", worker_init_fn=create_again)  # FIX
    total = sum(float(batch.sum()) for batch in loader)

    healthy = total == sum(range(num_samples)) + first
    print("OBSERVED", json.dumps({"healthy": healthy, "total": total}))
    sys.exit(0 if healthy else 1)
