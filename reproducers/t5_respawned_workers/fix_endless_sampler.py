"""T5: one iterator over an endless sampler keeps workers and prefetching across epochs.

The sampler never ends, so one iterator serves the whole run. The workers stay, and prefetching
continues across the epochs.

Symptom: none: only the first epoch begins with a wait
Needs:   torch; cpu; about 4 s
Run:     python trap_only_persistent.py; python fix_endless_sampler.py
"""
import json
import os
import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset, Sampler

num_workers, epochs, num_batches = 2, 4, 6
load_wait, step_wait = 0.100, 0.060  # stand for reading one batch and one step on a GPU


class Photos(Dataset):
    def __len__(self):
        return num_batches

    def __getitem__(self, index):
        time.sleep(load_wait)
        return torch.tensor(os.getpid())  # who loaded this sample, instead of the sample


class Endless(Sampler):
    def __init__(self, dataset):
        self.dataset = dataset

    def __iter__(self):
        while True:
            yield from torch.randperm(len(self.dataset)).tolist()  # FIX: epoch after epoch


if __name__ == "__main__":
    loader = DataLoader(Photos(), num_workers=num_workers, sampler=Endless(Photos()))
    workers, first_wait = set(), []
    for epoch in range(epochs):
        before = time.perf_counter()
        if epoch == 0:
            batches = iter(loader)  # FIX: one iterator for the whole run
        for step in range(num_batches):
            batch = next(batches)
            if step == 0:
                first_wait.append(round((time.perf_counter() - before) / load_wait, 1))
            workers.update(batch.tolist())
            time.sleep(step_wait)

    healthy = len(workers) == num_workers and sorted(first_wait[1:])[1] < 0.5  # the median
    print("OBSERVED", json.dumps({"healthy": healthy, "workers_started": len(workers),
                                  "first_wait_in_loads_by_epoch": first_wait}))
    sys.exit(0 if healthy else 1)
