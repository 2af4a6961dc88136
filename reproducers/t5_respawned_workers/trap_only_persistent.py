"""T5: persistent workers still begin each epoch with an empty queue.

The processes stay, but prefetching stops at the end of each epoch. The first batch of the next
epoch has to be loaded while the loop waits.

Symptom: the workers stay, but the first batch of each epoch makes the loop wait
Needs:   torch; cpu; about 4 s
Run:     python trap_only_persistent.py; python fix_endless_sampler.py
"""
import json
import os
import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset

num_workers, epochs, num_batches = 2, 4, 6
load_wait, step_wait = 0.100, 0.060  # stand for reading one batch and one step on a GPU


class Photos(Dataset):
    def __len__(self):
        return num_batches

    def __getitem__(self, index):
        time.sleep(load_wait)
        return torch.tensor(os.getpid())  # who loaded this sample, instead of the sample


if __name__ == "__main__":
    loader = DataLoader(Photos(), num_workers=num_workers, shuffle=True,
                        persistent_workers=True)  # BUG: prefetching ends with each epoch
    workers, first_wait = set(), []
    for epoch in range(epochs):
        before = time.perf_counter()
        batches = iter(loader)
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
