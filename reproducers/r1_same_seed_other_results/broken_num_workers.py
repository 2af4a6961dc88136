"""R1: the same seed with a different num_workers gives other augmentations.

Each worker has a generator with a seed of its own, and which worker loads a sample depends on the
number of workers. The order of the samples stays the same.

Symptom: equal sample order, other random numbers, when num_workers changes
Needs:   torch; cpu; about 3 s
Run:     python broken_num_workers.py; python fix_seed_by_index.py
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
        noise = torch.rand(1)  # BUG: from the generator of the worker
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
