"""Q2: clipping by the norm spreads one nan to all gradients instead of removing it.

The norm over all gradients is nan as soon as one of them is, and every gradient is multiplied by a
number that is computed from the norm.

Symptom: one gradient of 10 is nan before clip_grad_norm_, and all weights are nan after the step
Needs:   torch; cpu; about 3 s
Run:     python trap_clip_grad_norm.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)


def nan_in(tensors):
    return sum(int(torch.isnan(t).sum()) for t in tensors)


if __name__ == "__main__":
    model(torch.rand(8, 4)).sum().backward()
    model.weight.grad[0, 0] = float("nan")
    before = nan_in(p.grad for p in model.parameters())
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # BUG: the norm is nan
    optimizer.step()

    after = nan_in(model.parameters())
    weights = sum(p.numel() for p in model.parameters())
    healthy = after == 0 < before
    print("OBSERVED", json.dumps({"healthy": healthy, "nan_gradients": before,
                                  "nan_weights": after, "weights": weights}))
    sys.exit(0 if healthy else 1)
