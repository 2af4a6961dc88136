"""Q5: the background is a class too, and num_classes does not count it.

The mask has 0 for the background and 1 to 3 for three classes. one_hot() with three classes has no
row for label 3. On a GPU the same call ends in a device-side assert.

Symptom: RuntimeError: Class values must be smaller than num_classes.
Needs:   torch; cpu; about 2 s
Run:     python broken_background.py; python fix_background.py
"""
import json
import sys

import torch

names = ["cat", "dog", "bird"]
mask = torch.tensor([[0, 0, 1], [0, 2, 3]])

if __name__ == "__main__":
    classes = len(names)  # BUG: without the background
    one_hot = torch.nn.functional.one_hot(mask, classes)

    healthy = one_hot.sum((0, 1)).tolist() == [3, 1, 1, 1]
    print("OBSERVED", json.dumps({"healthy": healthy, "classes": classes}))
    sys.exit(0 if healthy else 1)
