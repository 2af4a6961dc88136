"""DP32: num_samples=0, because the dataset looks one folder too high.

The recordings are in data/train/SPEAKER/*.npy. In data/train there are folders and no file, and an
empty list is no error. The first complaint comes from the sampler that shuffles.

Symptom: ValueError: num_samples should be a positive integer value, but got num_samples=0
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
        self.files = [os.path.join(root, name) for name in sorted(os.listdir(root))  # BUG
                      if name.endswith(".npy")]

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
