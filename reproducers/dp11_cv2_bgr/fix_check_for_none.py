"""DP11: a check for None reports the path of the missing file.

cv2.imread returns None for a file that it cannot read, and raises nothing. The next call that
uses the image raises, without the path.

Symptom: none: the message ends with the path
Needs:   torch, cv2; cpu; about 4 s
Run:     python fix_check_for_none.py
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


class Pictures(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        image = cv2.imread(self.paths[i])
        if image is None:  # FIX: say which file, here, where it is known
            raise FileNotFoundError(f"cv2 cannot read {self.paths[i]}")
        image = cv2.cvtColor(image, cv2.COLOR_BGR2RGB)
        return torch.from_numpy(image).permute(2, 0, 1)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        pictures = Pictures([os.path.join(folder, "no_such.png")])
        try:
            pictures[0]
            message = ""
        except FileNotFoundError as error:
            message = str(error)

    healthy = message.endswith("no_such.png")
    print("OBSERVED", json.dumps({"healthy": healthy, "path_is_in_the_message": healthy}))
    sys.exit(0 if healthy else 1)
