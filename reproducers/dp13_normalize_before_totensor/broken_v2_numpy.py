"""DP13: v2.Normalize ignores a numpy array, so nothing is normalised and nothing is raised.

The transforms of torchvision.transforms.v2 pass through every type that they do not handle, and
numpy arrays are such a type. In the wrong order Normalize therefore has no effect.

Symptom: no error: a white pixel is 1.0 in every channel, as if there were no Normalize
Needs:   torch, torchvision, numpy; cpu; about 4 s
Run:     python broken_v2_numpy.py
"""
import json
import sys

import numpy as np
import torch

try:
    from torchvision.transforms import v2 as T
except ImportError:
    T = None
if not hasattr(T, "ToImage"):
    print("SKIPPED torchvision 0.16 or newer is not installed")
    sys.exit(77)

mean, std = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]

if __name__ == "__main__":
    image = np.full((32, 32, 3), 255, dtype=np.uint8)
    transform = T.Compose([
        T.Normalize(mean, std),  # BUG: v2 ignores types it does not know, such as numpy arrays
        T.ToImage(),
        T.ToDtype(torch.float32, scale=True),
    ])
    pixel = [round(value, 2) for value in transform(image)[:, 0, 0].tolist()]

    healthy = pixel == [2.25, 2.43, 2.64]  # (1 - mean) / std
    print("OBSERVED", json.dumps({"healthy": healthy, "pixel_by_channel": pixel}))
    sys.exit(0 if healthy else 1)
