"""DP1: np.random.seed in worker_init_fn does not reach a generator stored on the dataset.

The function reseeds the global generator of np.random. The dataset draws from a generator object of
its own, which is copied to each worker in the same state.

Symptom: the popular worker_init_fn is in place, and still only 1 of 6 batches is distinct
Needs:   torch, numpy; cpu; about 4 s
Run:     python trap_numpy_init_fn.py
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
        self.rng = np.random.default_rng(0)

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return int(self.rng.integers(100))


def seed_worker(worker_id):
    np.random.seed(torch.initial_seed() % 2**32)  # BUG: reseeds np.random, not dataset.rng


if __name__ == "__main__":
    torch.manual_seed(7)
    loader = DataLoader(RandomCrops(), batch_size=2, num_workers=num_workers,
                        worker_init_fn=seed_worker)
    epochs = [[batch.tolist() for batch in loader] for _ in range(num_epochs)]

    crops = [[epoch[worker][0] for epoch in epochs] for worker in range(num_workers)]
    distinct = len({tuple(batch) for epoch in epochs for batch in epoch})
    healthy = distinct == num_workers * num_epochs
    print("OBSERVED", json.dumps({"healthy": healthy, "distinct_batches": distinct,
                                  "crop_by_worker_and_epoch": crops,
                                  "first_batch_by_sample": epochs[0][0]}))
    sys.exit(0 if healthy else 1)
