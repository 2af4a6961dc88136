"""DP11: imread returns None for a missing file, and cvtColor raises.

cv2.imread returns None for a file that it cannot read, and raises nothing. The next call that
uses the image raises, without the path.

Symptom: cv2.error: (-215:Assertion failed) !_src.empty() in function 'cvtColor'
Needs:   torch, cv2; cpu; about 4 s
Run:     python broken_missing_file.py
"""
import json
import os
import sys
import tempfile

import torch
from torch.utils.data import Dataset

try:
    import cv2
except ImportError as missing:
    print(f"SKIPPED {missing.name} is not installed")
    sys.exit(77)


class Images(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        image = cv2.imread(self.paths[i])  # BUG: None if there is no file, not checked
        image = cv2.cvtColor(image, cv2.COLOR_BGR2RGB)
        return torch.from_numpy(image).permute(2, 0, 1)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        images = Images([os.path.join(folder, "no_such.png")])
        shape = list(images[0].shape)

    healthy = len(shape) == 3
    print("OBSERVED", json.dumps({"healthy": healthy, "shape": shape}))
    sys.exit(0 if healthy else 1)
