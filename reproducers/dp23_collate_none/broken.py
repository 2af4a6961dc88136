"""DP23: the default collate function meets None, or an object that it does not know.

default_collate looks at the first sample of a batch and decides from its type what to do:
stack, go through keys, or go through positions. None, a PIL image, a set or an object of one's
own is none of what it knows, and it raises. Where only a later sample is None, the text differs.

Symptom: the first damaged file ends the epoch in a TypeError
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, Dataset

files = ["a.jpg", "b.jpg", "c.jpg", "d.jpg", "e.jpg", "f.jpg"]
damaged = {"a.jpg", "e.jpg", "f.jpg"}


def read(name):
    """Stands for decoding a file; None where that fails."""
    return None if name in damaged else torch.full((3,), float(files.index(name)))


class Photos(Dataset):
    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        return read(self.files[index])  # BUG: None for a damaged file


if __name__ == "__main__":
    loader = DataLoader(Photos(files), batch_size=2)
    batches = list(loader)

    seen = sorted({int(row[0]) for batch in batches for row in batch})
    healthy = seen == [1, 2, 3]
    print("OBSERVED", json.dumps({"healthy": healthy, "files_seen": seen,
                                  "batch_sizes": [len(batch) for batch in batches]}))
    sys.exit(0 if healthy else 1)
