"""E1: ~ of a uint8 mask is true everywhere.

On uint8 the operator ~ flips all eight bits: 0 becomes 255 and 1 becomes 254, and both count as
true. Nothing is raised.

Symptom: all four scores are set to 0 instead of two
Needs:   torch; cpu; about 2 s
Run:     python trap_invert_byte.py; python fix_bool_mask.py
"""
import json
import sys

import torch

scores = [0.1, 0.7, 0.2, 0.9]
limit = 0.5


if __name__ == "__main__":
    scores = torch.tensor(scores)
    chosen = scores > limit  # uint8 before torch 1.2, bool since then
    others = (~chosen.byte()).bool()  # BUG: 254 and 255, both true

    kept = scores.masked_fill(others, 0.0).tolist()
    healthy = [value > 0 for value in kept] == chosen.tolist()
    print("OBSERVED", json.dumps({"healthy": healthy, "scores": kept}))
    sys.exit(0 if healthy else 1)
