"""T5: next(iter(loader)) in each step starts the workers in each step.

Every iter(loader) is the beginning of an epoch: new workers, an empty queue and, with
shuffle=True, a new order. One step takes one batch from it and throws the rest away.

Symptom: 13 steps start 26 processes, and each step begins with a long wait
Needs:   torch; cpu; about 4 s
Run:     python broken_next_iter.py; python fix_endless_sampler.py
"""
import json
import multiprocessing
import os
import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset

num_workers, num_steps, num_batches = 2, 13, 100
setup_wait = 0.3  # stands for opening a remote index in each worker
step_wait = 0.010  # stands for one step on a GPU


class Photos(Dataset):
    def __len__(self):
        return num_batches

    def __getitem__(self, index):
        return torch.tensor(os.getpid())  # who loaded this sample, instead of the sample


started = multiprocessing.Value("i", 0)  # counts in all processes


def open_index(worker_id):
    with started.get_lock():
        started.value += 1
    time.sleep(setup_wait)


if __name__ == "__main__":
    loader = DataLoader(Photos(), num_workers=num_workers, worker_init_fn=open_index,
                        multiprocessing_context="fork")
    waits = []
    for step in range(num_steps):
        before = time.perf_counter()
        batch = next(iter(loader))  # BUG: a new epoch for each batch
        waits.append(round((time.perf_counter() - before) / step_wait))
        time.sleep(step_wait)

    healthy = started.value == num_workers and max(waits[1:]) < 20
    print("OBSERVED", json.dumps({"healthy": healthy, "workers_started": started.value,
                                  "wait_in_steps_by_step": waits}))
    sys.exit(0 if healthy else 1)
