"""DP32: all files below the folder are found, and an empty list stops at once.

The recordings are in data/train/SPEAKER/*.npy. os.walk() looks at every level. If it finds nothing,
the dataset says which folder it searched.

Symptom: none: an epoch has all six samples
Needs:   torch, numpy; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import os
import sys
import tempfile

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Recordings(Dataset):
    def __init__(self, root):
        self.files = [os.path.join(folder, name) for folder, _, names in os.walk(root)  # FIX
                      for name in sorted(names) if name.endswith(".npy")]  # FIX: every level
        if not self.files:  # FIX: stop here, with the folder in the message
            raise FileNotFoundError(f"no .npy file below {os.path.abspath(root)}")  # FIX

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        return torch.from_numpy(np.load(self.files[index]))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as root:
        for speaker in ("anna", "ben"):
            os.makedirs(os.path.join(root, speaker))
            for number in range(3):
                np.save(os.path.join(root, speaker, f"{number}.npy"), np.ones(8, np.float32))
        loader = DataLoader(Recordings(root), batch_size=2, shuffle=True)
        samples_seen = sum(len(batch) for batch in loader)

    healthy = samples_seen == 6
    print("OBSERVED", json.dumps({"healthy": healthy, "samples_seen": samples_seen}))
    sys.exit(0 if healthy else 1)
