"""DP1: a generator made for each new seed differs between workers and epochs.

__getitem__ makes a new generator whenever torch.initial_seed() has changed. That is once in each
new worker, even if the main process has read a sample before.

Symptom: none: all 6 batches are distinct, although dataset[0] was read in the main process
Needs:   torch, numpy; cpu; about 4 s
Run:     python fix_lazy.py
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
        self.seed = None

    def __len__(self):
        return 4

    def __getitem__(self, index):
        if self.seed != torch.initial_seed():  # FIX: true once in each new worker
            self.seed = torch.initial_seed()
            self.rng = np.random.default_rng(self.seed)
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
