"""E1: loss.data.numpy()[0] of a loss without an axis.

Until torch 0.3, a loss had the shape (1). Now it has no axis, and neither has its array.

Symptom: IndexError: too many indices for array: array is 0-dimensional, but 1 were indexed
Needs:   torch, numpy; cpu; about 2 s
Run:     python broken_scalar_array.py
"""
import json
import sys

import torch

if __name__ == "__main__":
    loss = torch.nn.functional.mse_loss(torch.ones(2), torch.zeros(2))
    total = loss.data.numpy()[0]  # BUG: an array without an axis

    healthy = float(total) == 1
    print("OBSERVED", json.dumps({"healthy": healthy, "total": float(total)}))
    sys.exit(0 if healthy else 1)
