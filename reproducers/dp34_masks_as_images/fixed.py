"""DP34: the class numbers of a mask are taken as they are.

from_numpy() changes no value.

Symptom: none: each class has the pixels that were drawn
Needs:   torch, torchvision, numpy; cpu; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import numpy as np
import torch

try:
    from PIL import Image
    from torchvision import transforms
except ImportError:
    print("SKIPPED torchvision is not installed")
    sys.exit(77)

drawn = np.zeros((32, 32), dtype=np.uint8)
drawn[4:16, 4:28], drawn[18:30, 4:28] = 1, 2


def load_mask(mask):
    return torch.from_numpy(np.array(mask)).long()  # FIX: changes no value


if __name__ == "__main__":
    target = load_mask(Image.fromarray(drawn))
    pixels_by_class = target.flatten().bincount(minlength=3).tolist()
    expected = np.bincount(drawn.flatten()).tolist()
    healthy = pixels_by_class == expected
    print("OBSERVED", json.dumps({"healthy": healthy, "pixels_by_class": pixels_by_class,
                                  "drawn_by_class": expected}))
    sys.exit(0 if healthy else 1)
