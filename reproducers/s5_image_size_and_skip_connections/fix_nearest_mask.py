"""S5: a mask that is resized with mode="nearest" keeps its classes.

Each new pixel gets the class of one old pixel, so no new class appears.

Symptom: none: classes 0 and 2 before and after
Needs:   torch; cpu; about 2 s
Run:     python trap_bilinear_mask.py; python fix_nearest_mask.py
"""
import json
import sys

import torch
from torch.nn import functional as F


if __name__ == "__main__":
    mask = torch.zeros(1, 1, 50, 50)
    mask[..., 10:30, 10:30] = 2  # class 2 on class 0
    resized = F.interpolate(mask, size=(64, 64), mode="nearest")  # FIX
    classes = resized.round().long().unique().tolist()

    before = mask.long().unique().tolist()
    healthy = classes == before
    print("OBSERVED", json.dumps({"healthy": healthy, "before": before, "after": classes}))
    sys.exit(0 if healthy else 1)
