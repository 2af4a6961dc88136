"""DP12: dividing by 65535 brings a 16-bit PNG to 0..1.

numpy reads the pixels of a PIL image in mode I;16 as unsigned integers. Converted to float32
and divided by the true maximum of 16 bits, they need no ToTensor at all.

Symptom: none: 0..65535 becomes 0..1
Needs:   torch, PIL, numpy; cpu; about 4 s
Run:     python fix_16_bit.py
"""
import io
import json
import sys

import numpy as np
import torch

try:
    from PIL import Image
except ImportError as missing:
    print(f"SKIPPED {missing.name} is not installed")
    sys.exit(77)


def to_model(image):
    array = np.asarray(image).astype(np.float32) / 65535  # FIX: the true maximum of 16 bits
    return torch.from_numpy(array).unsqueeze(0)


if __name__ == "__main__":
    levels = [0, 100, 32767, 32768, 65535]  # black to white, in 16 bits
    file = io.BytesIO()
    Image.fromarray(np.array([levels], dtype=np.uint16)).save(file, "PNG")
    image = Image.open(file)

    pixels = to_model(image).flatten().tolist()
    healthy = pixels == sorted(pixels) and pixels[0] == 0.0 and pixels[-1] == 1.0
    print("OBSERVED", json.dumps({"healthy": healthy, "mode": image.mode,
                                  "pixels": [round(v, 4) for v in pixels]}))
    sys.exit(0 if healthy else 1)
