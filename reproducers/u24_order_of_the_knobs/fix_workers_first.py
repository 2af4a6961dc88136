"""U24: enough workers first brings the loop close to its best case.

With enough workers a batch is ready in each step. Other settings can help only after that.

Symptom: none: training takes less than 3.5 times as long as with one reused batch
Needs:   torch; cpu; about 8 s
Run:     python broken_one_worker.py; python fix_workers_first.py
"""
import itertools
import json
import sys
import time

import torch
from torch.utils.data import DataLoader

num_batches, batch_size = 12, 4
storage_wait = 0.040  # stands for one round trip to storage
step_wait = 0.030  # stands for one training step on a GPU


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
    loader = DataLoader(dataset, batch_size=batch_size, persistent_workers=True,
                        num_workers=8)  # FIX: until load time / num_workers < step time
    ratio = loader_over_one_batch(loader, train_step, warm_up=8, steps=20)

    healthy = ratio < 3.5
    print("OBSERVED", json.dumps({"healthy": healthy, "time_over_one_batch": round(ratio, 1)}))
    sys.exit(0 if healthy else 1)
