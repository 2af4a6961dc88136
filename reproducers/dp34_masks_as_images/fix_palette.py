"""DP34: the pixels of a mask of mode P are its class numbers, without convert().

Symptom: none: classes 0, 1 and 2
Needs:   torch, PIL, numpy; cpu; about 2 s
Run:     python fix_palette.py
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
drawn[4:16, 4:28], drawn[18:30, 4:28] = 1, 2


def load_mask(mask):
    return torch.from_numpy(np.array(mask)).long()  # FIX: the numbers of the palette


if __name__ == "__main__":
    mask = Image.fromarray(drawn).convert("P")
    mask.putpalette([0, 0, 0, 128, 0, 0, 0, 128, 0])  # black, red and green, as in VOC
    target = load_mask(mask)
    classes, expected = target.unique().tolist(), np.unique(drawn).tolist()
    healthy = classes == expected
    print("OBSERVED", json.dumps({"healthy": healthy, "classes": classes,
                                  "classes_drawn": expected}))
    sys.exit(0 if healthy else 1)
