"""DP23: with the damaged files left out of the dataset's list, all good ones are seen.

The dataset tries each file once, at the start, and lists only those that can be read. Length,
shuffle and batches are then right.

Symptom: none: batches of 2 and 1 from 3 good files
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader
from torch.utils.data import Dataset

files = ["a.jpg", "b.jpg", "c.jpg", "d.jpg", "e.jpg", "f.jpg"]
damaged = {"a.jpg", "e.jpg", "f.jpg"}


def read(name):
    """Decode a file (in place of an image library); None if that fails."""
    return None if name in damaged else torch.full((3,), float(files.index(name)))


class Photos(Dataset):
    def __init__(self, files, read):
        self.files = [name for name in files if read(name) is not None]  # FIX: once, at the start
        self.read = read

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        return self.read(self.files[index])


if __name__ == "__main__":
    loader = DataLoader(Photos(files, read), batch_size=2)
    batches = list(loader)

    seen = sorted({int(row[0]) for batch in batches for row in batch})
    healthy = seen == [1, 2, 3]
    print("OBSERVED", json.dumps({"healthy": healthy, "files_seen": seen,
                                  "batch_sizes": [len(batch) for batch in batches]}))
    sys.exit(0 if healthy else 1)
