"""E1: ~mask inverts a bool mask.

Comparisons return bool tensors since torch 1.2. ~ or logical_not() inverts them.

Symptom: none: the two scores below 0.5 are set to 0
Needs:   torch; cpu; about 2 s
Run:     python broken_bool_minus.py; python fix_bool_mask.py
"""
import json
import sys

import torch

scores = [0.1, 0.7, 0.2, 0.9]
limit = 0.5


if __name__ == "__main__":
    scores = torch.tensor(scores)
    chosen = scores > limit  # uint8 before torch 1.2, bool since then
    others = ~chosen  # FIX

    kept = scores.masked_fill(others, 0.0).tolist()
    healthy = [value > 0 for value in kept] == chosen.tolist()
    print("OBSERVED", json.dumps({"healthy": healthy, "scores": kept}))
    sys.exit(0 if healthy else 1)
