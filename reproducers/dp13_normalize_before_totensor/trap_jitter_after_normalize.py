"""DP13: Normalize stands before the picture has become a float tensor.

Normalize subtracts and divides per channel, on float tensors shaped (..., C, H, W). Compose runs
its steps in the order of the list and checks nothing when it is built, so a Normalize in front of
the conversion meets a picture or an array at the first sample, and refuses it or passes it by.

Symptom: everything below zero is cut off, without an error
Needs:   torch, torchvision, numpy; cpu; about 4 s
Run:     python trap_jitter_after_normalize.py
"""
import json
import sys

import numpy as np
import torch

try:
    from torchvision import transforms as T
except ImportError as missing:
    print(f"SKIPPED {missing.name} is not installed")
    sys.exit(77)

mean, std = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]

torch.manual_seed(0)

if __name__ == "__main__":
    picture = np.arange(256, dtype=np.uint8).reshape(16, 16, 1).repeat(3, axis=2)
    jitter = T.ColorJitter(brightness=(0.99, 0.99))  # all but nothing
    tensor = T.ToTensor()(picture)
    ends = []
    for x in (
        T.Normalize(mean, std)(jitter(tensor)),
        jitter(T.Normalize(mean, std)(tensor)),  # BUG: colour transforms clamp to 0..1
    ):
        ends.append([round(x.min().item(), 1), round(x.max().item(), 1)])

    healthy = all(abs(a - b) < 0.2 for a, b in zip(*ends))
    print("OBSERVED", json.dumps({"healthy": healthy, "range_by_order_and_end": ends}))
    sys.exit(0 if healthy else 1)
