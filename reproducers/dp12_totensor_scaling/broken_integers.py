"""DP12: ToTensor leaves the pixels at 0..255, because the array is not uint8.

ToTensor divides by 255 only what it knows to be 8-bit: numpy arrays of uint8 and PIL pictures of
the 8-bit modes. Any other dtype is converted and passed on as it is. A float picture in 0..255
then reaches the model 255 times too large, and nothing is raised.

Symptom: the first convolution refuses integer pixels
Needs:   torch, torchvision, numpy; cpu; about 4 s
Run:     python broken_integers.py
"""
import json
import sys

import numpy as np
from torch import nn

try:
    from torchvision.transforms import ToTensor
except ImportError as missing:
    print(f"SKIPPED {missing.name} is not installed")
    sys.exit(77)

if __name__ == "__main__":
    picture = np.arange(256, dtype=np.int32).reshape(16, 16, 1).repeat(3, axis=2)
    tensor = ToTensor()(picture)  # BUG: int32 in, int32 out; only uint8 becomes float
    features = nn.Conv2d(3, 4, 3, bias=False)(tensor[None])  # as a ResNet begins

    healthy = features.is_floating_point()
    print("OBSERVED", json.dumps({"healthy": healthy, "dtype": str(tensor.dtype)}))
    sys.exit(0 if healthy else 1)
