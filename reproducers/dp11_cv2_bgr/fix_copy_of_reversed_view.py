"""DP11: a copy of the reversed view is RGB and can become a tensor.

image[:, :, ::-1] is a view that walks backwards over the channels, so one of its strides is
negative. torch refuses arrays with negative strides.

Symptom: none: both loaders return [1.0, 0.04, 0.0]
Needs:   torch, torchvision, cv2, PIL; cpu; about 4 s
Run:     python fix_copy_of_reversed_view.py
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
    image = cv2.imread(path)[:, :, ::-1].copy()  # FIX: reversed, and copied: strides are positive
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
