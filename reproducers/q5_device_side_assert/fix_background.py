"""Q5: num_classes with the background.

Three classes and the background are four.

Symptom: none: one row for each class and for the background
Needs:   torch; cpu; about 2 s
Run:     python fix_background.py
"""
import json
import sys

import torch

names = ["cat", "dog", "bird"]
mask = torch.tensor([[0, 0, 1], [0, 2, 3]])

if __name__ == "__main__":
    classes = len(names) + 1  # FIX: the background is class 0
    one_hot = torch.nn.functional.one_hot(mask, classes)

    healthy = one_hot.sum((0, 1)).tolist() == [3, 1, 1, 1]
    print("OBSERVED", json.dumps({"healthy": healthy, "classes": classes}))
    sys.exit(0 if healthy else 1)
