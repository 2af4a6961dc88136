"""DP12: ToTensor leaves the pixels at 0..255, because the array is not uint8.

ToTensor divides by 255 only what it knows to be 8-bit: numpy arrays of uint8 and PIL pictures of
the 8-bit modes. Any other dtype is converted and passed on as it is. A float picture in 0..255
then reaches the model 255 times too large, and nothing is raised.

Symptom: the largest pixel is 0.004: the picture is almost black
Needs:   torch, torchvision, numpy; cpu; about 4 s
Run:     python broken_scaled_twice.py
"""
import json
import sys

import numpy as np

try:
    from torchvision.transforms import ToTensor
except ImportError as missing:
    print(f"SKIPPED {missing.name} is not installed")
    sys.exit(77)


def to_model(picture):
    return ToTensor()(picture) / 255  # BUG: ToTensor has divided uint8 already


if __name__ == "__main__":
    picture = np.arange(256, dtype=np.uint8).reshape(16, 16, 1).repeat(3, axis=2)
    largest = round(to_model(picture).max().item(), 4)

    healthy = largest == 1.0
    print("OBSERVED", json.dumps({"healthy": healthy, "largest": largest}))
    sys.exit(0 if healthy else 1)
