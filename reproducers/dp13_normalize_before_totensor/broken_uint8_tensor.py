"""DP13: Normalize refuses the uint8 tensor that read_image returns.

read_image returns a tensor, but of uint8 in 0..255. Normalize needs floats.

Symptom: TypeError: Input tensor should be a float tensor. Got torch.uint8.
Needs:   torch, torchvision, PIL; cpu; about 4 s
Run:     python broken_uint8_tensor.py
"""
import json
import os
import sys
import tempfile

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

    normalised = T.Normalize(mean, std)(tensor)  # BUG: a tensor, but of uint8 in 0..255
    pixel = [round(value, 2) for value in normalised[:, 0, 0].tolist()]

    healthy = pixel == [2.25, 2.43, 2.64]  # (1 - mean) / std
    print("OBSERVED", json.dumps({"healthy": healthy, "pixel_by_channel": pixel}))
    sys.exit(0 if healthy else 1)
