"""DP23: None after a pair of image and label raises a TypeError about len().

default_collate compares the lengths of the samples because the first one is a sequence, and None
has no length.

Symptom: TypeError: object of type 'NoneType' has no len()
Needs:   torch; cpu; about 2 s
Run:     python broken_pair.py; python fixed.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, Dataset

files = ["a.jpg", "b.jpg", "c.jpg", "d.jpg", "e.jpg", "f.jpg"]
damaged = {"b.jpg", "e.jpg", "f.jpg"}


class Photos(Dataset):
    def __len__(self):
        return len(files)

    def __getitem__(self, index):
        if files[index] in damaged:
            return None  # BUG: the first sample of the batch is a pair, this one is not
        return torch.full((3,), float(index)), index


if __name__ == "__main__":
    loader = DataLoader(Photos(), batch_size=2)
    batches = [images for images, labels in loader]

    seen = sorted({int(row[0]) for batch in batches for row in batch})
    healthy = seen == [0, 2, 3]
    print("OBSERVED", json.dumps({"healthy": healthy, "files_seen": seen,
                                  "batch_sizes": [len(batch) for batch in batches]}))
    sys.exit(0 if healthy else 1)
