"""DP12: ToTensor and a division by 255 scale the image twice.

ToTensor has already divided the uint8 image by 255. A second division leaves a maximum of
1 / 255.

Symptom: the largest pixel is 0.0039, so the image is almost black
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


def to_model(image):
    return ToTensor()(image) / 255  # BUG: ToTensor has divided uint8 already


if __name__ == "__main__":
    image = np.arange(256, dtype=np.uint8).reshape(16, 16, 1).repeat(3, axis=2)
    largest = round(to_model(image).max().item(), 4)

    healthy = largest == 1.0
    print("OBSERVED", json.dumps({"healthy": healthy, "largest": largest}))
    sys.exit(0 if healthy else 1)
