"""Q4: a library in C refuses a number of numpy.

The box is an array of float64, so its corners are numpy numbers and no integers. OpenCV does not
convert them.

Symptom: Can't parse 'pt1'. Sequence item with index 0 has a wrong type
Needs:   torch, numpy, cv2; cpu; about 2 s
Run:     python broken_numpy_number.py; python fix_plain_numbers.py
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
    cv2.rectangle(mask, (box[0], box[1]), (box[2], box[3]), 1, -1)  # BUG: numpy.float64
    return torch.from_numpy(mask)


if __name__ == "__main__":
    area = sum(int(draw(box).sum()) for box in boxes)

    healthy = area == 25
    print("OBSERVED", json.dumps({"healthy": healthy, "area": area}))
    sys.exit(0 if healthy else 1)
