"""E1: masked_fill() refuses a uint8 mask.

Up to torch 1.1 masks were uint8, so old code calls .byte() on them. masked_fill() and
masked_select() first warned about such masks and now refuse them.

Symptom: masked_fill_ only supports boolean masks, but got mask with dtype unsigned char
Needs:   torch; cpu; about 2 s
Run:     python broken_byte_mask.py; python fix_bool_mask.py
"""
import json
import sys

import torch

scores = [0.1, 0.7, 0.2, 0.9]
limit = 0.5


if __name__ == "__main__":
    scores = torch.tensor(scores)
    chosen = scores > limit  # uint8 before torch 1.2, bool since then
    others = (scores <= limit).byte()  # BUG: uint8

    kept = scores.masked_fill(others, 0.0).tolist()
    healthy = [value > 0 for value in kept] == chosen.tolist()
    print("OBSERVED", json.dumps({"healthy": healthy, "scores": kept}))
    sys.exit(0 if healthy else 1)
