"""DP4: with one sample per batch there is nothing to compare.

A batch of one sample is stacked with nothing. If this runs and larger batches do not, the shapes
differ.

Symptom: none: each sample is a batch of its own shape
Needs:   torch; cpu; about 3 s
Run:     python fix_batch_size_1.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, Dataset

lengths = [3, 5]


class Sentences(Dataset):
    def __len__(self):
        return len(lengths)

    def __getitem__(self, index):
        return torch.arange(1, lengths[index] + 1)


if __name__ == "__main__":
    loader = DataLoader(Sentences(), batch_size=1)  # FIX: nothing to stack

    shapes = [list(tokens.shape) for tokens in loader]

    healthy = shapes == [[1, 3], [1, 5]]
    print("OBSERVED", json.dumps({"healthy": healthy, "shapes": shapes}))
    sys.exit(0 if healthy else 1)
