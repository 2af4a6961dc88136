"""DP23: None as a sample is refused by default_collate.

default_collate decides from the type of the first sample how to build the batch. It has rules for
tensors, arrays, numbers, strings, dicts and sequences, and none for None.

Symptom: TypeError: default_collate: batch must contain tensors, ...; found <class 'NoneType'>
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
        self.files = list(files)
        self.read = read

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        return self.read(self.files[index])  # BUG: None for a damaged file


if __name__ == "__main__":
    loader = DataLoader(Photos(files, read), batch_size=2)
    batches = list(loader)

    seen = sorted({int(row[0]) for batch in batches for row in batch})
    healthy = seen == [1, 2, 3]
    print("OBSERVED", json.dumps({"healthy": healthy, "files_seen": seen,
                                  "batch_sizes": [len(batch) for batch in batches]}))
    sys.exit(0 if healthy else 1)
