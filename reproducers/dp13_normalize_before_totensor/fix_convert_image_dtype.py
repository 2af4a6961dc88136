"""DP13: ConvertImageDtype makes the float tensor that Normalize needs from read_image's uint8.

It converts uint8 in 0..255 to float32 in 0..1, as ToTensor does for PIL images.

Symptom: none: a white pixel is (1 - mean) / std
Needs:   torch, torchvision, PIL; cpu; about 4 s
Run:     python fix_convert_image_dtype.py
"""
import json
import os
import sys
import tempfile

import torch

try:
    from PIL import Image
    from torchvision import transforms as T
    from torchvision.io import read_image
except ImportError as missing:
    print(f"SKIPPED {missing.name} is not installed")
    sys.exit(77)

mean, std = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "white.png")
        Image.new("RGB", (32, 32), (255, 255, 255)).save(path)
        tensor = read_image(path)

    transform = T.Compose([
        T.ConvertImageDtype(torch.float32),  # FIX: uint8 0..255 becomes float 0..1
        T.Normalize(mean, std),
    ])
    pixel = [round(value, 2) for value in transform(tensor)[:, 0, 0].tolist()]

    healthy = pixel == [2.25, 2.43, 2.64]  # (1 - mean) / std
    print("OBSERVED", json.dumps({"healthy": healthy, "pixel_by_channel": pixel}))
    sys.exit(0 if healthy else 1)
