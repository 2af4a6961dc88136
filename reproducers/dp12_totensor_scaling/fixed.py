"""DP12: one explicit division by the true maximum gives 0..1 for every dtype.

The array becomes float32 first, so ToTensor never scales it. The division that follows is
the only one, whatever dtype came in.

Symptom: none: the same image is 0..1 as uint8 and as float32
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


def to_model(image, maximum=255):
    array = np.asarray(image, dtype=np.float32)  # FIX: ToTensor does not scale float32,
    return ToTensor()(array) / maximum  # FIX: so divide once, by the true maximum


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
