"""DP23: the default collate function meets None, or an object that it does not know.

default_collate looks at the first sample of a batch and decides from its type what to do:
stack, go through keys, or go through positions. None, a PIL image, a set or an object of one's
own is none of what it knows, and it raises. Where only a later sample is None, the text differs.

Symptom: collate_fn drops what is None, and the loop skips a batch of which nothing is left
Needs:   torch; cpu; about 2 s
Run:     python fix_drop_in_collate.py; python broken.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.dataloader import default_collate

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
        return read(self.files[index])


def collate(samples):
    kept = [sample for sample in samples if sample is not None]
    return default_collate(kept) if kept else None  # FIX: and the loop skips it


if __name__ == "__main__":
    loader = DataLoader(Photos(files), batch_size=2, collate_fn=collate)
    batches = [batch for batch in loader if batch is not None]

    seen = sorted({int(row[0]) for batch in batches for row in batch})
    healthy = seen == [1, 2, 3]
    print("OBSERVED", json.dumps({"healthy": healthy, "files_seen": seen,
                                  "batch_sizes": [len(batch) for batch in batches]}))
    sys.exit(0 if healthy else 1)
