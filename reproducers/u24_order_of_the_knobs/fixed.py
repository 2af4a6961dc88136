"""U24: the knobs of the loader are turned in the wrong order, or the loader is not the bottleneck.

First compare with one batch that is used again and again: this is the best that any loader can do.
Then turn the knobs in the order in which they can act: workers, what a worker does, their start,
the depth of the queue, the copy to the GPU. A knob turned too early shows no gain.

Symptom: prefetch_factor and persistent_workers are set, and training is about as slow as before
Needs:   torch; cpu; about 12 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset

num_batches, batch_size = 8, 4
storage_wait = 0.040  # a measured wait that stands for one round trip to storage
step_wait = 0.030  # stands for one training step on a GPU


class Photos(Dataset):
    def __init__(self, trips=batch_size):
        self.trips = trips  # to storage, for one batch

    def __len__(self):
        return num_batches * batch_size

    def __getitem__(self, index):
        time.sleep(storage_wait * self.trips / batch_size)
        return torch.ones(8)


def time_of(batches):
    """Of an epoch, the shorter of two: other work on the machine only adds to it."""
    epochs = []
    for _ in range(2):
        start = time.perf_counter()
        for batch in batches:
            time.sleep(step_wait)
        epochs.append(time.perf_counter() - start)
    return min(epochs)


def time_over_best(dataset, **knobs):
    """One epoch with this loader over the same steps on one batch, used again and again."""
    if knobs:
        knobs.update(persistent_workers=True)
    loader = DataLoader(dataset, batch_size, **knobs)
    if knobs:
        list(loader)  # starts the workers
    return round(time_of(loader) / time_of([next(iter(loader))] * num_batches), 1)


if __name__ == "__main__":
    knobs = ["none", "num_workers=4", "a trip a batch"]  # each kept by the next
    ratios = [time_over_best(Photos()),
              time_over_best(Photos(), num_workers=4),  # FIX: first as many as load in a step
              time_over_best(Photos(trips=1), num_workers=4)]  # FIX: then what a worker does

    healthy = ratios[-1] < 2.5
    print("OBSERVED", json.dumps({"healthy": healthy, "knobs": knobs,
                                  "time_over_best_by_knob": ratios}))
    sys.exit(0 if healthy else 1)
