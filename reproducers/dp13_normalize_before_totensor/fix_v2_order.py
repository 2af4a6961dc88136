"""DP13: with transforms.v2 the order is ToImage, ToDtype, Normalize.

ToImage makes a tensor of a numpy array or a PIL image, and ToDtype with scale=True brings uint8
to 0..1. Only then does Normalize see what it can normalise.

Symptom: none: a white pixel is (1 - mean) / std
Needs:   torch, torchvision, numpy; cpu; about 4 s
Run:     python fix_v2_order.py
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
        T.ToImage(),
        T.ToDtype(torch.float32, scale=True),
        T.Normalize(mean, std),  # FIX: after the image has become a float tensor
    ])
    pixel = [round(value, 2) for value in transform(image)[:, 0, 0].tolist()]

    healthy = pixel == [2.25, 2.43, 2.64]  # (1 - mean) / std
    print("OBSERVED", json.dumps({"healthy": healthy, "pixel_by_channel": pixel}))
    sys.exit(0 if healthy else 1)
