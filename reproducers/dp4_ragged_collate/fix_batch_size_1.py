"""DP4: samples of different sizes stop the DataLoader: stack expects each tensor to be equal size.

The default collate function joins the samples of a batch with torch.stack, which takes equal
shapes only: it does not pad, crop or wrap. A batch of equal samples passes, so the error waits
until two different ones meet, which under shuffle can be any step.

Symptom: lengths 3 and 5, one sample a batch: nothing to stack, nothing raised
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
    loader = DataLoader(Sentences(), batch_size=1)  # FIX: no two samples ever meet

    shapes = [list(tokens.shape) for tokens in loader]

    healthy = shapes == [[1, length] for length in lengths]
    print("OBSERVED", json.dumps({"healthy": healthy, "shapes": shapes}))
    sys.exit(0 if healthy else 1)
