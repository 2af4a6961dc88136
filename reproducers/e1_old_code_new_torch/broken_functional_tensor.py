"""E1: a private module of torchvision that was renamed.

BasicSR and GFPGAN import rgb_to_grayscale from it. torchvision 0.17 removed the old name.

Symptom: ModuleNotFoundError: No module named 'torchvision.transforms.functional_tensor'
Needs:   torch, torchvision; cpu; about 2 s
Run:     python broken_functional_tensor.py; python fix_older_code.py
"""
import json
import sys

import torch

try:
    import torchvision
except ImportError:
    print("SKIPPED torchvision is not installed")
    sys.exit(77)

if __name__ == "__main__":
    from torchvision.transforms.functional_tensor import rgb_to_grayscale  # BUG: a private module

    grey = rgb_to_grayscale(torch.ones(3, 2, 2))
    healthy = grey.shape == (1, 2, 2)
    print("OBSERVED", json.dumps({"healthy": healthy, "torchvision": torchvision.__version__}))
    sys.exit(0 if healthy else 1)
