"""Q5: the first batch is in range, and a later one is not.

One wrong sample in a dataset is enough. A test with the first batch can miss it.

Symptom: the first of 8 batches passes, batch 5 has label 3 of 3 classes
Needs:   torch; cpu; about 2 s
Run:     python trap_first_batch.py; python fix_scan_dataset.py
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


if __name__ == "__main__":
    loader = DataLoader(Texts(), batch_size=8)
    batch = next(iter(loader))  # BUG: one batch stands for all
    declared_sound = bool(batch["labels"].max() < classes)
    highest_by_batch = [int(batch["labels"].max()) for batch in loader]

    healthy = declared_sound == (max(highest_by_batch) < classes)
    print("OBSERVED", json.dumps({"healthy": healthy, "declared_sound": declared_sound,
                                  "highest_label_by_batch": highest_by_batch}))
    sys.exit(0 if healthy else 1)
