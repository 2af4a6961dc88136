"""Q5: a pass over the loader finds the first batch with a value out of range.

It needs neither the model nor a GPU, so it is quick, and you do not have to know which batch
failed.

Symptom: none: batch 5, labels from 0 to 3; after the sample is removed, nothing
Needs:   torch; cpu; about 2 s
Run:     python fix_scan_dataset.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, Dataset

num_samples = 64
num_ids = 50
classes = 3


class Texts(Dataset):
    """Sample 41 has the label 3, which is the fourth class."""

    def __len__(self):
        return num_samples

    def __getitem__(self, index):
        ids = torch.arange(index, index + 6) % num_ids
        return {"ids": ids, "labels": torch.tensor(3 if index == 41 else index % classes)}


def first_out_of_range(loader, limits, ignore=-100):  # FIX: every batch, not the first one
    """The first batch with a value outside 0 .. limit - 1."""
    for number, batch in enumerate(loader):
        for name, limit in limits.items():
            values = batch[name][batch[name] != ignore]
            if values.numel() and not 0 <= values.min() <= values.max() < limit:
                return number, name, int(values.min()), int(values.max())


if __name__ == "__main__":
    limits, small_limits = {"ids": num_ids, "labels": classes}, {"ids": 30}
    texts = Texts()
    bad = first_out_of_range(DataLoader(texts, batch_size=8), limits)
    too_few_rows = first_out_of_range(DataLoader(texts, batch_size=8), small_limits)
    without = [texts[index] for index in range(num_samples) if index != 41]
    clean = first_out_of_range(DataLoader(without, batch_size=8), limits)

    healthy = bad == (5, "labels", 0, 3) and too_few_rows == (3, "ids", 24, 36) and clean is None
    print("OBSERVED", json.dumps({"healthy": healthy, "bad": bad, "too_few_rows": too_few_rows,
                                  "clean": clean}))
    sys.exit(0 if healthy else 1)
