"""DP11: pictures read with cv2 reach the model with red and blue swapped.

cv2 stores colour as BGR: blue first. PIL, torchvision and the models trained with them expect
RGB. Both are valid H x W x 3 arrays of uint8, so nothing can tell them apart and nothing is raised;
the model sees every picture with red and blue exchanged.

Symptom: a red picture arrives as [0.0, 0.04, 1.0] instead of [1.0, 0.04, 0.0]
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
