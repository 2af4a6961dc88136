"""DP12: ToTensor refuses a tensor.

ToTensor converts PIL images and numpy arrays. A tensor from a cache or from an earlier ToTensor
is neither of them, so it raises instead of passing the tensor through.

Symptom: TypeError: pic should be PIL Image or ndarray. Got <class 'torch.Tensor'>
Needs:   torch, torchvision; cpu; about 4 s
Run:     python broken_tensor.py
"""
import json
import sys

import torch

try:
    from torchvision.transforms import ToTensor
except ImportError as missing:
    print(f"SKIPPED {missing.name} is not installed")
    sys.exit(77)

if __name__ == "__main__":
    tensor = torch.rand(3, 16, 16)  # in 0..1 already, from a cache or an earlier ToTensor
    tensor = ToTensor()(tensor)  # BUG: not passed through, refused

    healthy = 0.0 <= tensor.min().item() and tensor.max().item() <= 1.0
    print("OBSERVED", json.dumps({"healthy": healthy, "largest": tensor.max().item()}))
    sys.exit(0 if healthy else 1)
