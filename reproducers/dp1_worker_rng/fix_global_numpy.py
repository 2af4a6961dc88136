"""DP1: np.random reseeded in worker_init_fn draws new numbers, also before torch 1.9.

Each worker starts with a copy of NumPy's global generator. Since torch 1.9 every worker reseeds
it from its own seed; before, all forked workers drew the same numbers, in every epoch again.

Symptom: none: all 6 batches are distinct
Needs:   torch, numpy; cpu, linux; about 4 s
Run:     python fix_global_numpy.py
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

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return int(np.random.randint(100))


def seed_worker(worker_id):
    np.random.seed(torch.initial_seed() % 2**32)  # FIX: what torch does by itself since 1.9


if __name__ == "__main__":
    torch.manual_seed(7)
    np.random.seed(7)
    loader = DataLoader(RandomCrops(), batch_size=2, num_workers=num_workers,
                        multiprocessing_context="fork", worker_init_fn=seed_worker)
    epochs = [[batch.tolist() for batch in loader] for _ in range(num_epochs)]

    crops = [[epoch[worker][0] for epoch in epochs] for worker in range(num_workers)]
    distinct = len({tuple(batch) for epoch in epochs for batch in epoch})
    healthy = distinct == num_workers * num_epochs
    print("OBSERVED", json.dumps({"healthy": healthy, "distinct_batches": distinct,
                                  "crop_by_worker_and_epoch": crops,
                                  "first_batch_by_sample": epochs[0][0]}))
    sys.exit(0 if healthy else 1)
