"""DP13: v2.Normalize raises on a PIL image.

v2.Normalize knows PIL images and refuses them, unlike numpy arrays, which it ignores.

Symptom: TypeError: Normalize() does not support PIL images.
Needs:   torch, torchvision, PIL; cpu; about 4 s
Run:     python broken_v2_pil.py
"""
import json
import sys

import torch

try:
    from PIL import Image
except ImportError as missing:
    print(f"SKIPPED {missing.name} is not installed")
    sys.exit(77)
try:
    from torchvision.transforms import v2 as T
except ImportError:
    T = None
if not hasattr(T, "ToImage"):
    print("SKIPPED torchvision 0.16 or newer is not installed")
    sys.exit(77)

mean, std = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]

if __name__ == "__main__":
    image = Image.new("RGB", (32, 32), (255, 255, 255))
    transform = T.Compose([
        T.Normalize(mean, std),  # BUG: gets the PIL image
        T.ToImage(),
        T.ToDtype(torch.float32, scale=True),
    ])
    pixel = [round(value, 2) for value in transform(image)[:, 0, 0].tolist()]

    healthy = pixel == [2.25, 2.43, 2.64]  # (1 - mean) / std
    print("OBSERVED", json.dumps({"healthy": healthy, "pixel_by_channel": pixel}))
    sys.exit(0 if healthy else 1)
