"""DP23: a collate_fn that drops None fails if it drops all samples of a batch.

It calls default_collate with an empty list when all samples of one batch are damaged.

Symptom: IndexError: list index out of range
Needs:   torch; cpu; about 2 s
Run:     python trap_drop_in_collate.py; python fix_drop_in_collate.py
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
    return default_collate(kept)  # BUG: an empty list for e.jpg, f.jpg


if __name__ == "__main__":
    batches = list(DataLoader(Photos(files), batch_size=2, collate_fn=collate))

    seen = sorted({int(row[0]) for batch in batches for row in batch})
    healthy = seen == [1, 2, 3]
    print("OBSERVED", json.dumps({"healthy": healthy, "files_seen": seen,
                                  "batch_sizes": [len(batch) for batch in batches]}))
    sys.exit(0 if healthy else 1)
