"""DP12: ToTensor leaves the pixels at 0..255 because the array is not uint8.

ToTensor divides by 255 only input that is 8-bit: numpy arrays of uint8 and PIL images of the
8-bit modes. It converts any other dtype to a tensor and keeps the values. A float image in
0..255 then reaches the model 255 times too large, and nothing is raised.

Symptom: the same image is 0..1 as uint8 and 0..255 as float32
Needs:   torch, torchvision, numpy; cpu; about 4 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import numpy as np

try:
    from torchvision.transforms import ToTensor
except ImportError as missing:
    print(f"SKIPPED {missing.name} is not installed")
    sys.exit(77)


def to_model(image):
    return ToTensor()(image)  # BUG: scales uint8 only


if __name__ == "__main__":
    image = np.arange(256, dtype=np.uint8).reshape(16, 16, 1).repeat(3, axis=2)
    images = [image, image.astype(np.float32)]  # as a .npy file or a resize would give it

    dtypes = [str(image.dtype) for image in images]
    tensors = [to_model(image) for image in images]
    ends = ["smallest", "largest"]
    ranges = [[round(x.min().item(), 3), round(x.max().item(), 3)] for x in tensors]
    healthy = ranges == [[0.0, 1.0], [0.0, 1.0]]
    print("OBSERVED", json.dumps({"healthy": healthy, "dtypes": dtypes,
                                  "ends": ends, "range_by_dtype_and_end": ranges}))
    sys.exit(0 if healthy else 1)
