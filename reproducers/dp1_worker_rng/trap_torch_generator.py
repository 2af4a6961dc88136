"""DP1: a torch.Generator stored on the dataset is copied and not reseeded.

PyTorch reseeds its global generator in each worker. A torch.Generator stored on the dataset is
copied to each worker in the same state.

Symptom: 2 workers, 3 epochs: only 1 of 6 batches is distinct
Needs:   torch; cpu, linux; about 4 s
Run:     python trap_torch_generator.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, Dataset

num_workers = 2
num_epochs = 3


class RandomCrops(Dataset):
    """Each sample is the place where a random crop starts, 0 to 99."""

    def __init__(self):
        self.rng = torch.Generator().manual_seed(0)  # BUG: copied, not reseeded, like numpy's

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return int(torch.randint(100, (), generator=self.rng))


if __name__ == "__main__":
    torch.manual_seed(7)
    loader = DataLoader(RandomCrops(), batch_size=2, num_workers=num_workers,
                        multiprocessing_context="fork")
    epochs = [[batch.tolist() for batch in loader] for _ in range(num_epochs)]

    crops = [[epoch[worker][0] for epoch in epochs] for worker in range(num_workers)]
    distinct = len({tuple(batch) for epoch in epochs for batch in epoch})
    healthy = distinct == num_workers * num_epochs
    print("OBSERVED", json.dumps({"healthy": healthy, "distinct_batches": distinct,
                                  "crop_by_worker_and_epoch": crops,
                                  "first_batch_by_sample": epochs[0][0]}))
    sys.exit(0 if healthy else 1)
