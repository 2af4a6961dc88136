"""DP11: IMREAD_COLOR_RGB makes imread return RGB.

cv2 returns colour images as BGR, blue first; PIL and torchvision return RGB. Both are 8-bit
images with three channels, so neither ToTensor nor the model can tell them apart.

Symptom: none: both loaders return [1.0, 0.04, 0.0]
Needs:   torch, torchvision, cv2, PIL; cpu; about 4 s
Run:     python fix_imread_color_rgb.py
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
if not hasattr(cv2, "IMREAD_COLOR_RGB"):
    print("SKIPPED cv2 4.11 or newer is not installed")
    sys.exit(77)


def load(path):
    image = cv2.imread(path, cv2.IMREAD_COLOR_RGB)  # FIX: cv2 decodes to RGB itself
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
