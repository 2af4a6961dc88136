"""T5: persistent_workers=True has no effect on a loader that is created in every epoch.

Persistent workers live as long as their loader. A loader that is created in every epoch starts new
ones.

Symptom: 3 epochs still start 6 processes
Needs:   torch; cpu; about 4 s
Run:     python trap_loader_in_the_loop.py; python fixed.py
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
    workers, first_wait = set(), []
    for epoch in range(epochs):
        before = time.perf_counter()
        loader = DataLoader(Photos(), num_workers=num_workers, worker_init_fn=open_index,
                            multiprocessing_context="fork",
                            persistent_workers=True)  # BUG: a new loader has new workers
        for step, batch in enumerate(loader):
            if step == 0:
                first_wait.append(round((time.perf_counter() - before) / step_wait))
            workers.update(batch.tolist())
            time.sleep(step_wait)

    healthy = len(workers) == num_workers and max(first_wait[1:]) < 20
    print("OBSERVED", json.dumps({"healthy": healthy, "workers_started": len(workers),
                                  "first_wait_in_steps_by_epoch": first_wait}))
    sys.exit(0 if healthy else 1)
