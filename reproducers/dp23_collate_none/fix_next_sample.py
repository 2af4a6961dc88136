"""DP23: a dataset that goes on to the next good file gives full batches.

For a damaged file __getitem__ returns the next file that can be read. Some files are seen twice.

Symptom: none: batches stay full
Needs:   torch; cpu; about 2 s
Run:     python fix_next_sample.py; python broken.py
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
        self.files, self.read = files, read

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        for step in range(len(self.files)):  # FIX: try the next one, at most one round
            image = self.read(self.files[(index + step) % len(self.files)])
            if image is not None:
                return image
        raise RuntimeError("no file can be read")


if __name__ == "__main__":
    batches = list(DataLoader(Photos(files, read), batch_size=2))
    try:
        Photos(sorted(damaged), read)[0]
        message = ""
    except RuntimeError as error:
        message = str(error)

    seen = sorted({int(row[0]) for batch in batches for row in batch})
    healthy = seen == [1, 2, 3] and message == "no file can be read"
    print("OBSERVED", json.dumps({"healthy": healthy, "files_seen": seen,
                                  "batch_sizes": [len(batch) for batch in batches],
                                  "if_all_are_damaged": message}))
    sys.exit(0 if healthy else 1)
