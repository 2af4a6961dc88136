"""DP1: "if self.rng is None" fails as soon as the main process has read one sample.

A generator that is created at first use belongs to the process that used it first. If that was
the main process, all workers get a copy of it in the same state.

Symptom: dataset[0] was read before training: only 1 of 6 batches is distinct
Needs:   torch, numpy; cpu; about 4 s
Run:     python trap_lazy_none.py
"""
import json
import sys

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

num_workers = 2
num_epochs = 3


class RandomCrops(Dataset):
    """Each sample is the place where a random crop starts, 0 to 99."""

    def __init__(self):
        self.rng = None

    def __len__(self):
        return 4

    def __getitem__(self, index):
        if self.rng is None:  # BUG: reading dataset[0] created one, and workers copy it
            self.rng = np.random.default_rng(torch.initial_seed())
        return int(self.rng.integers(100))


if __name__ == "__main__":
    torch.manual_seed(7)
    dataset = RandomCrops()
    dataset[0]  # a look at one sample before training
    loader = DataLoader(dataset, batch_size=2, num_workers=num_workers)
    epochs = [[batch.tolist() for batch in loader] for _ in range(num_epochs)]

    crops = [[epoch[worker][0] for epoch in epochs] for worker in range(num_workers)]
    distinct = len({tuple(batch) for epoch in epochs for batch in epoch})
    healthy = distinct == num_workers * num_epochs
    print("OBSERVED", json.dumps({"healthy": healthy, "distinct_batches": distinct,
                                  "crop_by_worker_and_epoch": crops,
                                  "first_batch_by_sample": epochs[0][0]}))
    sys.exit(0 if healthy else 1)
