"""DP1: np.random.seed(np.random.get_state()[1][0] + worker_id) makes every epoch repeat the first.

PyTorch seeds np.random in each worker with an array. The first word of the state is then 2147483648
whatever the seed was, so this line replaces the worker's seed by a constant. Before torch 1.9 the
worker has the state of the main process, and its first word is the same in every epoch.

Symptom: the workers differ, the epochs do not: only 2 of 6 batches are distinct
Needs:   torch, numpy; cpu; about 4 s
Run:     python trap_state_seed.py
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
    np.random.seed(np.random.get_state()[1][0] + worker_id)  # BUG: the same number in every epoch


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
