"""DP12: ToTensor turns the brighter half of a 16-bit PNG negative.

PIL opens a 16-bit PNG in mode I;16. ToTensor reads these unsigned values as signed 16-bit
integers and does not scale them, so 32768 becomes -32768 and white becomes -1.

Symptom: the brighter half of a 16-bit image turns negative; white becomes -1
Needs:   torch, torchvision, PIL, numpy; cpu; about 4 s
Run:     python broken_16_bit.py
"""
import io
import json
import sys

import numpy as np

try:
    from PIL import Image
    from torchvision.transforms import ToTensor
except ImportError as missing:
    print(f"SKIPPED {missing.name} is not installed")
    sys.exit(77)


def to_model(image):
    return ToTensor()(image)  # BUG: read as signed 16-bit integers, and not scaled


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
