"""E2: a module that torchvision 0.17 removed.

Other packages import it too (basicsr, pytorchvideo), so the traceback may end in a file that is not
yours.

Symptom: ModuleNotFoundError: No module named 'torchvision.transforms.functional_tensor'
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
from torchvision.transforms.functional_tensor import rgb_to_grayscale  # BUG: removed

if __name__ == "__main__":
    grey = rgb_to_grayscale(torch.rand(3, 4, 5))
    healthy = list(grey.shape) == [1, 4, 5]
    print("OBSERVED", json.dumps({"healthy": healthy, "shape": list(grey.shape),
                                  "torchvision": torchvision.__version__}))
    sys.exit(0 if healthy else 1)
