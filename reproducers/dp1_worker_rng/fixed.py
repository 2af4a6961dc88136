"""DP1: a generator made in worker_init_fn differs between workers and between epochs.

worker_init_fn runs in each new worker. It makes a generator from the seed that PyTorch gave to that
worker, which differs between workers and between epochs.

Symptom: none: 2 workers, 3 epochs, all 6 batches are distinct
Needs:   torch, numpy; cpu; about 4 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, get_worker_info

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


def seed_worker(worker_id):  # FIX: a different generator in each worker and epoch
    get_worker_info().dataset.rng = np.random.default_rng(torch.initial_seed())


if __name__ == "__main__":
    torch.manual_seed(7)
    dataset = RandomCrops()
    loader = DataLoader(dataset, batch_size=2, num_workers=num_workers,  # FIX
                        worker_init_fn=seed_worker)
    epochs = [[batch.tolist() for batch in loader] for _ in range(num_epochs)]

    crops = [[epoch[worker][0] for epoch in epochs] for worker in range(num_workers)]
    distinct = len({tuple(batch) for epoch in epochs for batch in epoch})
    healthy = distinct == num_workers * num_epochs
    print("OBSERVED", json.dumps({"healthy": healthy, "distinct_batches": distinct,
                                  "crop_by_worker_and_epoch": crops,
                                  "first_batch_by_sample": epochs[0][0]}))
    sys.exit(0 if healthy else 1)
