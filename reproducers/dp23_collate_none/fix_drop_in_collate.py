"""DP23: a collate_fn that drops None, and a loop that skips empty batches, use all good files.

If all samples of a batch are dropped, collate returns None instead of calling default_collate with
an empty list.

Symptom: none: batches of 1 and 2, and one batch is skipped
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
    """Decode a file (in place of an image library); None if that fails."""
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
    return default_collate(kept) if kept else None  # FIX: the loop skips None


if __name__ == "__main__":
    loader = DataLoader(Photos(files), batch_size=2, collate_fn=collate)
    batches = []
    for batch in loader:
        if batch is None:  # FIX: all its samples were dropped
            continue
        batches.append(batch)

    seen = sorted({int(row[0]) for batch in batches for row in batch})
    healthy = seen == [1, 2, 3]
    print("OBSERVED", json.dumps({"healthy": healthy, "files_seen": seen,
                                  "batch_sizes": [len(batch) for batch in batches]}))
    sys.exit(0 if healthy else 1)
