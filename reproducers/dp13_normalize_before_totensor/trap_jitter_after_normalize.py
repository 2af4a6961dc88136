"""DP13: ColorJitter after Normalize clamps the values to 0..1 without an error.

ColorJitter expects an image in 0..1 and clamps its result to that range. After Normalize about
half of the values are negative, and all of those become 0.

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
    image = np.arange(256, dtype=np.uint8).reshape(16, 16, 1).repeat(3, axis=2)
    jitter = T.ColorJitter(brightness=(0.99, 0.99))  # almost no change
    tensor = T.ToTensor()(image)
    ends = []
    for x in (
        T.Normalize(mean, std)(jitter(tensor)),
        jitter(T.Normalize(mean, std)(tensor)),  # BUG: colour transforms clamp to 0..1
    ):
        ends.append([round(x.min().item(), 1), round(x.max().item(), 1)])

    healthy = all(abs(a - b) < 0.2 for a, b in zip(*ends))
    print("OBSERVED", json.dumps({"healthy": healthy, "range_by_order_and_end": ends}))
    sys.exit(0 if healthy else 1)
