"""DP1: draws from torch's global generator differ between workers and between epochs.

PyTorch reseeds its global generator in each worker and in each epoch. Draws without `generator=`
use it.

Symptom: none: all 6 batches are distinct
Needs:   torch; cpu; about 4 s
Run:     python fix_torch_rng.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, Dataset

num_workers = 2
num_epochs = 3


class RandomCrops(Dataset):
    """Each sample is the place where a random crop starts, 0 to 99."""

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return int(torch.randint(100, ()))  # FIX: the global generator is reseeded in each worker


if __name__ == "__main__":
    torch.manual_seed(7)
    loader = DataLoader(RandomCrops(), batch_size=2, num_workers=num_workers)
    epochs = [[batch.tolist() for batch in loader] for _ in range(num_epochs)]

    crops = [[epoch[worker][0] for epoch in epochs] for worker in range(num_workers)]
    distinct = len({tuple(batch) for epoch in epochs for batch in epoch})
    healthy = distinct == num_workers * num_epochs
    print("OBSERVED", json.dumps({"healthy": healthy, "distinct_batches": distinct,
                                  "crop_by_worker_and_epoch": crops,
                                  "first_batch_by_sample": epochs[0][0]}))
    sys.exit(0 if healthy else 1)
