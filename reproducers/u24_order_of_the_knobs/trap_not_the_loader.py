"""U24: four workers and a deep prefetch are added, and the step is what takes the time.

The step takes the time, and batches are always ready. More workers have nothing to gain.

Symptom: four workers and a deep prefetch gain next to nothing
Needs:   torch; cpu; about 8 s
Run:     python trap_not_the_loader.py; python fixed.py
"""
import itertools
import json
import sys
import time

import torch
from torch.utils.data import DataLoader

num_batches, batch_size = 12, 4
storage_wait = 0.001  # stands for one round trip to storage
step_wait = 0.060  # stands for one training step on a GPU


class Photos(torch.utils.data.Dataset):
    def __len__(self):
        return num_batches * batch_size

    def __getitem__(self, index):
        time.sleep(storage_wait)
        return torch.tensor(index)


def seconds_per_step(batches, train_step, warm_up, steps):
    for number, batch in enumerate(batches):
        if number == warm_up:
            start = time.perf_counter()
        if number == warm_up + steps:
            return (time.perf_counter() - start) / steps
        train_step(batch)  # must end with loss.item(), which waits for the GPU


def loader_over_one_batch(loader, train_step, warm_up=20, steps=50):
    """Time with the loader over time with one batch, reused. Near 1: it is not the loader."""
    one_batch = itertools.repeat(next(iter(loader)))
    epochs = itertools.chain.from_iterable(itertools.repeat(loader))  # epoch after epoch
    best = seconds_per_step(one_batch, train_step, warm_up, steps)
    return seconds_per_step(epochs, train_step, warm_up, steps) / best


def train_step(batch):
    time.sleep(step_wait)


if __name__ == "__main__":
    dataset = Photos()
    loader = DataLoader(dataset, batch_size=batch_size)
    before = loader_over_one_batch(loader, train_step, warm_up=8, steps=20)
    loader = DataLoader(dataset, batch_size=batch_size, persistent_workers=True,
                        num_workers=4, prefetch_factor=8)  # BUG: the step is what takes the time
    after = loader_over_one_batch(loader, train_step, warm_up=8, steps=20)

    gain = before / after
    healthy = gain > 1.5
    print("OBSERVED", json.dumps({"healthy": healthy, "time_over_one_batch_before":
                                  round(before, 1), "gain": round(gain, 1)}))
    sys.exit(0 if healthy else 1)
