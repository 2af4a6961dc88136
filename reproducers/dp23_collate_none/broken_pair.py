"""DP23: the default collate function meets None, or an object that it does not know.

default_collate looks at the first sample of a batch and decides from its type what to do:
stack, go through keys, or go through positions. None, a PIL image, a set or an object of one's
own is none of what it knows, and it raises. Where only a later sample is None, the text differs.

Symptom: samples are pairs, and a later one is None: the text speaks of len()
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
