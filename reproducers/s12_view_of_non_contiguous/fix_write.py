"""S12: a write through an index, which needs neither view() nor reshape().

mask.t() is a view, so a write into it goes into the mask.

Symptom: none: 2 of 2 positions are masked
Needs:   torch; cpu; about 2 s
Run:     python fix_write.py
"""
import json
import sys

import torch


if __name__ == "__main__":
    mask = torch.zeros(3, 4)
    mask.t()[[0, 1], [1, 2]] = 1  # FIX: an index writes into the mask itself
    masked = int(mask.sum())

    healthy = masked == 2
    print("OBSERVED", json.dumps({"healthy": healthy, "masked": masked}))
    sys.exit(0 if healthy else 1)
