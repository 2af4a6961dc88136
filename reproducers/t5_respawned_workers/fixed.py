"""T5: with persistent_workers=True the workers are started once.

persistent_workers=True keeps the workers of the first epoch, with the files that they have opened.

Symptom: none: only the first epoch begins with a wait; 2 processes serve all 3 epochs
Needs:   torch; cpu; about 4 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import os
import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset

num_workers, epochs, num_batches = 2, 3, 6
setup_wait = 0.4  # stands for opening a remote index in each worker
storage_wait, step_wait = 0.005, 0.010  # stand for one read and one step on a GPU


class Photos(Dataset):
    def __len__(self):
        return num_batches

    def __getitem__(self, index):
        time.sleep(storage_wait)
        return torch.tensor(os.getpid())  # who loaded this sample, instead of the sample


def open_index(worker_id):
    time.sleep(setup_wait)


if __name__ == "__main__":
    loader = DataLoader(Photos(), num_workers=num_workers, worker_init_fn=open_index,
                        multiprocessing_context="fork",
                        persistent_workers=True)  # FIX: the same workers for all epochs
    workers, first_wait = set(), []
    for epoch in range(epochs):
        before = time.perf_counter()
        for step, batch in enumerate(loader):
            if step == 0:
                first_wait.append(round((time.perf_counter() - before) / step_wait))
            workers.update(batch.tolist())
            time.sleep(step_wait)

    healthy = len(workers) == num_workers and max(first_wait[1:]) < 20
    print("OBSERVED", json.dumps({"healthy": healthy, "workers_started": len(workers),
                                  "first_wait_in_steps_by_epoch": first_wait}))
    sys.exit(0 if healthy else 1)
