"""DP23: "take the next sample" never ends if no sample can be read.

The folder is wrong, so every file is missing. The dataset hides that error and asks for the next
sample, which asks for the next one, until Python stops.

Symptom: RecursionError: maximum recursion depth exceeded
Needs:   torch; cpu; about 2 s
Run:     python broken_wrong_path.py; python fix_next_sample.py
"""
import json
import os
import sys

import torch
from torch.utils.data import DataLoader, Dataset

folder = "no_such_folder"


class Photos(Dataset):
    def __init__(self, folder, names):
        self.files = [os.path.join(folder, name) for name in names]

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        if os.path.exists(self.files[index]):
            return torch.load(self.files[index])
        return self[(index + 1) % len(self)]  # BUG: no end if all files are missing


if __name__ == "__main__":
    batches = list(DataLoader(Photos(folder, ["a.pt", "b.pt", "c.pt"]), batch_size=2))

    healthy = sum(len(batch) for batch in batches) == 3
    print("OBSERVED", json.dumps({"healthy": healthy, "batches": len(batches)}))
    sys.exit(0 if healthy else 1)
