"""DP34: convert("L") turns the palette of a mask into brightness.

The mask has mode P: its pixels are class numbers, and the palette has their colours. "L" is the
brightness of the colours.

Symptom: no error: classes 0, 38 and 75 in place of 0, 1 and 2
Needs:   torch, PIL, numpy; cpu; about 2 s
Run:     python broken_palette.py; python fix_palette.py
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
    return torch.from_numpy(np.array(mask.convert("L"))).long()  # BUG: brightness of the colour


if __name__ == "__main__":
    mask = Image.fromarray(drawn).convert("P")
    mask.putpalette([0, 0, 0, 128, 0, 0, 0, 128, 0])  # black, red and green, as in VOC
    target = load_mask(mask)
    classes, expected = target.unique().tolist(), np.unique(drawn).tolist()
    healthy = classes == expected
    print("OBSERVED", json.dumps({"healthy": healthy, "classes": classes,
                                  "classes_drawn": expected}))
    sys.exit(0 if healthy else 1)
