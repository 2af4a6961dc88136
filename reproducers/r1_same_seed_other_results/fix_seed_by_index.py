"""R1: a seed from epoch and index gives the same augmentation with any num_workers.

Each sample gets a generator whose seed follows from its index and the epoch, not from the worker
that loads it. (Workers that persist do not see a new value of dataset.epoch.)

Symptom: none: equal sample order and equal random numbers with 1 and with 2 workers
Needs:   torch; cpu; about 3 s
Run:     python fix_seed_by_index.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, Dataset

num_epochs = 2


class Noisy(Dataset):
    epoch = 0

    def __len__(self):
        return 8

    def __getitem__(self, index):
        generator = torch.Generator().manual_seed(1000000 * self.epoch + index)  # FIX
        noise = torch.rand(1, generator=generator)  # FIX
        return index, noise


def epochs(num_workers):
    torch.manual_seed(0)
    dataset = Noisy()
    loader = DataLoader(dataset, batch_size=2, shuffle=True, num_workers=num_workers)
    order, noise = [], []
    for dataset.epoch in range(num_epochs):
        for index, value in loader:
            order += index.tolist()
            noise += value.flatten().tolist()
    return order, noise


if __name__ == "__main__":
    (order, noise), (other_order, other_noise) = epochs(num_workers=1), epochs(num_workers=2)

    equal = sum(a == b for a, b in zip(noise, other_noise))
    healthy = order == other_order and equal == len(set(noise)) == num_epochs * 8
    print("OBSERVED", json.dumps({"healthy": healthy, "same_order": order == other_order,
                                  "equal_draws": equal, "draws": len(noise)}))
    sys.exit(0 if healthy else 1)
