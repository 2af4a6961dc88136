"""E1: an integer tensor divided by / is no index any more.

Before torch 1.5, / of integer tensors rounded down. Now the result is a float.

Symptom: IndexError: tensors used as indices must be long, int, byte or bool tensors
Needs:   torch; cpu; about 2 s
Run:     python broken_division_index.py; python fix_older_code.py
"""
import json
import sys

import torch

if __name__ == "__main__":
    scores = torch.arange(12).view(4, 3)  # 4 queries, 3 classes
    best = scores.flatten().topk(2).indices
    query = best / 3  # BUG: 3.67 and 3.33
    rows = scores[query]

    healthy = rows[:, 0].tolist() == [9, 9]
    print("OBSERVED", json.dumps({"healthy": healthy, "first": rows[:, 0].tolist()}))
    sys.exit(0 if healthy else 1)
