"""DP11: a check for None reports the path of the missing file.

cv2.imread returns None for a file that it cannot read, and raises nothing. The next call that
uses the image raises, without the path.

Symptom: none: the message ends with the path
Needs:   torch, numpy, cv2; cpu; about 4 s
Run:     python fix_check_for_none.py
"""
import json
import os
import sys
import tempfile

import numpy as np
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
        image = cv2.imread(self.paths[i])
        if image is None:  # FIX: say which file, here, where it is known
            raise FileNotFoundError(f"cv2 cannot read {self.paths[i]}")
        image = cv2.cvtColor(image, cv2.COLOR_BGR2RGB)
        return torch.from_numpy(image).permute(2, 0, 1)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("white.png", "no_such.png")]
        cv2.imwrite(paths[0], np.full((8, 6, 3), 255, dtype=np.uint8))
        images, shapes, message = Images(paths), [], ""
        for i in range(len(images)):
            try:
                shapes.append(list(images[i].shape))
            except FileNotFoundError as error:
                message = str(error)

    has_path = message.endswith("no_such.png")
    healthy = shapes == [[3, 8, 6]] and has_path
    print("OBSERVED", json.dumps({"healthy": healthy, "shape_of_the_readable_image": shapes[0],
                                  "path_is_in_the_message": has_path}))
    sys.exit(0 if healthy else 1)
