"""E2: the public module in place of the one that torchvision removed.

torchvision.transforms.functional has the same function, in old and new releases.

Symptom: none: an image with one channel
Needs:   torch, torchvision; cpu; about 4 s
Run:     python broken_module.py; python fix_module.py
"""
import json
import sys

import torch

try:
    import torchvision
except ImportError:
    print("SKIPPED torchvision is not installed")
    sys.exit(77)
from torchvision.transforms.functional import rgb_to_grayscale  # FIX: public, and still there

if __name__ == "__main__":
    grey = rgb_to_grayscale(torch.rand(3, 4, 5))
    healthy = list(grey.shape) == [1, 4, 5]
    print("OBSERVED", json.dumps({"healthy": healthy, "shape": list(grey.shape),
                                  "torchvision": torchvision.__version__}))
    sys.exit(0 if healthy else 1)
