"""T4: a function that tells how much of a loop's time is spent waiting for batches.

The function adds up the time that the loop waits for batches and divides it by the time of the
loop. The first batches are left out.

Symptom: none: the share is about two thirds without workers and small with 4 workers
Needs:   torch; cpu; about 3 s
Run:     python fix_measure_the_wait.py
"""
import json
import sys
import time

import torch
from torch.utils.data import DataLoader

num_batches, batch_size = 24, 4
storage_wait = 0.010  # stands for one round trip to storage
step_wait = 0.020  # stands for the work of the GPU


class Photos(torch.utils.data.Dataset):
    def __len__(self):
        return num_batches * batch_size

    def __getitem__(self, index):
        time.sleep(storage_wait)
        return torch.tensor(index)


def waiting_share(loader, train_step, warm_up=10, steps=50):
    """The share of the loop's time that is spent waiting for the next batch."""
    waited = total = 0.0
    before = time.perf_counter()
    for number, batch in enumerate(loader):
        arrived = time.perf_counter()
        train_step(batch)  # must end with loss.item(), which waits for the GPU
        done = time.perf_counter()
        if number >= warm_up:
            waited += arrived - before
            total += done - before
        if number == warm_up + steps:
            break
        before = done
    return waited / total


def train_step(batch):
    time.sleep(step_wait)


if __name__ == "__main__":
    dataset = Photos()
    loader = DataLoader(dataset, batch_size=batch_size, shuffle=True)  # dpkb: ignore[T4]
    without_workers = waiting_share(loader, train_step, warm_up=4)
    loader = DataLoader(dataset, batch_size=batch_size, shuffle=True, num_workers=4)  # FIX
    with_workers = waiting_share(loader, train_step, warm_up=4)

    healthy = without_workers > 0.5 and with_workers < 0.45
    print("OBSERVED", json.dumps({"healthy": healthy, "without_workers": round(without_workers, 2),
                                  "with_4_workers": round(with_workers, 2)}))
    sys.exit(0 if healthy else 1)
