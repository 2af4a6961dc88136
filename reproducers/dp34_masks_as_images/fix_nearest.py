"""DP34: a mask is resized with NEAREST, which copies class numbers.

Symptom: none: the target has the classes that were drawn
Needs:   torch, PIL, numpy; cpu; about 2 s
Run:     python fix_nearest.py
"""
import json
import sys

import numpy as np
import torch

try:
    from PIL import Image
except ImportError:
    print("SKIPPED PIL is not installed")
    sys.exit(77)

drawn = np.zeros((32, 32), dtype=np.uint8)
drawn[5:27, 5:27] = 2  # there is no class 1


def load_mask(mask):
    small = mask.resize((16, 16), Image.NEAREST)  # FIX: copies class numbers
    return torch.from_numpy(np.array(small)).long()


if __name__ == "__main__":
    target = load_mask(Image.fromarray(drawn))
    classes, expected = target.unique().tolist(), np.unique(drawn).tolist()
    healthy = classes == expected
    print("OBSERVED", json.dumps({"healthy": healthy, "classes": classes,
                                  "classes_drawn": expected}))
    sys.exit(0 if healthy else 1)
