"""O37: the loop takes three values from a batch, and the dataset returns two.

A dataset class from another project returns an image and a mask; the loop also wants a name.

Symptom: ValueError: not enough values to unpack (expected 3, got 2)
Needs:   torch; cpu; about 2 s
Run:     python broken_unpack_batch.py; python fix_unpack.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, TensorDataset

num_images = 8


def train(loader):
    seen = 0
    for images, masks, names in loader:  # BUG: there are no names
        seen += len(images)
    return seen


if __name__ == "__main__":
    dataset = TensorDataset(torch.ones(num_images, 3, 4, 4), torch.zeros(num_images, 4, 4))
    seen = train(DataLoader(dataset, batch_size=4))

    healthy = seen == num_images
    print("OBSERVED", json.dumps({"healthy": healthy, "images": seen}))
    sys.exit(0 if healthy else 1)
