"""DP1: all workers augment alike, because albumentations' Compose holds a generator object.

albumentations' Compose holds a generator object. Each worker gets a copy of it in the same state,
and so do the new workers of the next epoch.

Symptom: 2 workers, 3 epochs: only 1 of 6 batches is distinct
Needs:   torch, numpy, albumentations; cpu; about 8 s
Run:     python broken_albumentations.py
"""
import json
import os
import sys

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

os.environ["NO_ALBUMENTATIONS_UPDATE"] = "1"  # no look-up of newer versions at import
try:
    import albumentations
except ImportError:
    print("SKIPPED albumentations is not installed")
    sys.exit(77)
if not albumentations.__version__.startswith("2.0."):
    print("SKIPPED albumentations 2.0 is not installed")
    sys.exit(77)

num_workers = 2
num_epochs = 3
image = np.tile(np.arange(107, dtype=np.uint8), (8, 1))  # each pixel holds its column


class RandomCrops(Dataset):
    """Each sample is the place where a random crop starts, 0 to 99."""

    def __init__(self):
        crop = albumentations.RandomCrop(height=8, width=8)
        self.transform = albumentations.Compose([crop], seed=42)  # BUG: keeps its own generator

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return int(self.transform(image=image)["image"][0, 0])


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
