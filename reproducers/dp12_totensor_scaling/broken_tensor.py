"""DP12: ToTensor leaves the pixels at 0..255, because the array is not uint8.

ToTensor divides by 255 only what it knows to be 8-bit: numpy arrays of uint8 and PIL pictures of
the 8-bit modes. Any other dtype is converted and passed on as it is. A float picture in 0..255
then reaches the model 255 times too large, and nothing is raised.

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
