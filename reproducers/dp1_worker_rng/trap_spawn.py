"""DP1: under start method spawn the workers get the same generator by pickle.

Under spawn the dataset is pickled, with the state of its generator. Both workers start from that
state.

Symptom: 2 workers, 1 epoch: both batches are the same
Needs:   torch, numpy; cpu; about 6 s
Run:     python trap_spawn.py
"""
import json
import sys

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

num_workers = 2
num_epochs = 1


class RandomCrops(Dataset):
    """Each sample is the place where a random crop starts, 0 to 99."""

    def __init__(self):
        self.rng = np.random.default_rng(0)  # BUG: each worker gets a pickled copy in this state

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return int(self.rng.integers(100))


if __name__ == "__main__":
    torch.manual_seed(7)
    loader = DataLoader(RandomCrops(), batch_size=2, num_workers=num_workers,
                        multiprocessing_context="spawn")
    epochs = [[batch.tolist() for batch in loader] for _ in range(num_epochs)]

    crops = [[epoch[worker][0] for epoch in epochs] for worker in range(num_workers)]
    distinct = len({tuple(batch) for epoch in epochs for batch in epoch})
    healthy = distinct == num_workers * num_epochs
    print("OBSERVED", json.dumps({"healthy": healthy, "distinct_batches": distinct,
                                  "crop_by_worker_and_epoch": crops,
                                  "first_batch_by_sample": epochs[0][0]}))
    sys.exit(0 if healthy else 1)
