"""Q4: plain integers for a library in C.

tolist() turns the rounded array into integers of Python.

Symptom: none: the box has 5 x 5 pixels
Needs:   torch, numpy, cv2; cpu; about 2 s
Run:     python fix_plain_numbers.py
"""
import json
import sys

import numpy as np
import torch

try:
    import cv2
except ImportError:
    print("SKIPPED cv2 is not installed")
    sys.exit(77)

boxes = np.array([[1.0, 2.0, 5.0, 6.0]])


def draw(box):
    mask = np.zeros((8, 8), np.uint8)
    left, top, right, bottom = box.round().astype(int).tolist()  # FIX: integers of Python
    cv2.rectangle(mask, (left, top), (right, bottom), 1, -1)  # FIX
    return torch.from_numpy(mask)


if __name__ == "__main__":
    area = sum(int(draw(box).sum()) for box in boxes)

    healthy = area == 25
    print("OBSERVED", json.dumps({"healthy": healthy, "area": area}))
    sys.exit(0 if healthy else 1)
