"""DP11: ToTensor refuses a reversed view without a copy.

image[:, :, ::-1] is a view that walks backwards over the channels, so one of its strides is
negative. torch refuses arrays with negative strides.

Symptom: ValueError: At least one stride in the given numpy array is negative
Needs:   torch, torchvision, cv2, PIL; cpu; about 4 s
Run:     python trap_negative_stride.py
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
    image = cv2.imread(path)[:, :, ::-1]  # BUG: a view that walks backwards over the channels
    return ToTensor()(image)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "red.png")
        Image.new("RGB", (16, 16), (255, 10, 0)).save(path)
        tensors = [ToTensor()(Image.open(path)), load(path)]

    pixel = [[round(value, 2) for value in tensor[:, 0, 0].tolist()] for tensor in tensors]
    healthy = pixel[0] == pixel[1]
    print("OBSERVED", json.dumps({"healthy": healthy, "pixel_by_loader_and_channel": pixel}))
    sys.exit(0 if healthy else 1)
