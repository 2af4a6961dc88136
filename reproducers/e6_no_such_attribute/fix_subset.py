"""E6: the class names come from the dataset inside of the subset.

A Subset has `dataset` and `indices`.

Symptom: none
Needs:   torch; cpu; about 3 s
Run:     python fix_subset.py
"""
import json
import sys

import torch
from torch.utils.data import Dataset, random_split

torch.manual_seed(0)


class Folder(Dataset):
    """Like ImageFolder: samples, and the names of their classes."""

    classes = ["cat", "dog", "fox"]

    def __len__(self):
        return 30

    def __getitem__(self, index):
        return torch.randn(3), index % 3


if __name__ == "__main__":
    train, val = random_split(Folder(), [20, 10])
    num_classes = len(train.dataset.classes)  # FIX: the dataset inside
    model = torch.nn.Linear(3, num_classes)
    logits = model(train[0][0])

    healthy = len(logits) == 3
    print("OBSERVED", json.dumps({"healthy": healthy, "outputs": len(logits)}))
    sys.exit(0 if healthy else 1)
