"""E1: loss.data[0] of a loss without an axis.

Until torch 0.3, a loss had the shape (1). Now it has no axis, so there is no element 0.

Symptom: IndexError: invalid index of a 0-dim tensor. Use `tensor.item()` in Python ...
Needs:   torch; cpu; about 2 s
Run:     python broken_scalar_index.py; python fix_older_code.py
"""
import json
import sys

import torch

if __name__ == "__main__":
    loss = torch.nn.functional.mse_loss(torch.ones(2), torch.zeros(2))
    total = loss.data[0]  # BUG: a 0-dim tensor

    healthy = float(total) == 1
    print("OBSERVED", json.dumps({"healthy": healthy, "total": float(total)}))
    sys.exit(0 if healthy else 1)
