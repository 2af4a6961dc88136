"""DP11: cv2.imread returns blue first, and ToTensor passes it on.

cv2 returns colour images as BGR, blue first; PIL and torchvision return RGB. Both are 8-bit
images with three channels, so neither ToTensor nor the model can tell them apart.

Symptom: a red pixel is [0.0, 0.04, 1.0] instead of [1.0, 0.04, 0.0]
Needs:   torch, torchvision, cv2, PIL; cpu; about 4 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import os
import sys
import tempfile

try:
    import cv2
    from PIL import Image
    from torchvision.transforms import ToTensor
except ImportError as missing:
    print(f"SKIPPED {missing.name} is not installed")
    sys.exit(77)


def load(path):
    image = cv2.imread(path)  # BUG: blue first
    return ToTensor()(image)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "red.png")
        Image.new("RGB", (16, 16), (255, 10, 0)).save(path)
        tensors = [ToTensor()(Image.open(path)), load(path)]

    loaders = ["PIL", "cv2"]
    pixel = [[round(value, 2) for value in tensor[:, 0, 0].tolist()] for tensor in tensors]
    healthy = pixel[0] == pixel[1]
    print("OBSERVED", json.dumps({"healthy": healthy, "loaders": loaders,
                                  "pixel_by_loader_and_channel": pixel}))
    sys.exit(0 if healthy else 1)
