"""DP23: with workers, None after a tensor gives another message.

In a worker, default_collate first adds up the sizes of the tensors, to put them into shared memory.

Symptom: AttributeError: 'NoneType' object has no attribute 'numel'
Needs:   torch; cpu; about 2 s
Run:     python broken_later_workers.py; python fixed.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, Dataset

files = ["a.jpg", "b.jpg", "c.jpg", "d.jpg", "e.jpg", "f.jpg"]
damaged = {"b.jpg", "e.jpg", "f.jpg"}


def read(name):
    """Decode a file (in place of an image library); None if that fails."""
    return None if name in damaged else torch.full((3,), float(files.index(name)))


class Photos(Dataset):
    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        return read(self.files[index])  # BUG: None for a damaged file


if __name__ == "__main__":
    batches = list(DataLoader(Photos(files), batch_size=2, num_workers=1))

    seen = sorted({int(row[0]) for batch in batches for row in batch})
    healthy = seen == [0, 2, 3]
    print("OBSERVED", json.dumps({"healthy": healthy, "files_seen": seen,
                                  "batch_sizes": [len(batch) for batch in batches]}))
    sys.exit(0 if healthy else 1)
