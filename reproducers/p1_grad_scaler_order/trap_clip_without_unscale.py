"""P1: without unscale_ the clipping sees gradients that are 65536 times too large.

Clipping to 1.0 is applied to the scaled gradients. step() divides them by the scale afterwards, so
the step is tiny, and nothing is raised.

Symptom: the first step is thousands of times shorter than with unscale_
Needs:   torch; cpu; about 4 s
Run:     python trap_clip_without_unscale.py
"""
import json
import sys

import torch
from torch import nn
try:
    from torch.amp import GradScaler
except ImportError:
    print("SKIPPED a GradScaler for the CPU needs torch 2.3")
    sys.exit(77)

torch.manual_seed(0)

def first_step(unscale):
    """How far one step with clipping moves the weights."""
    torch.manual_seed(0)
    model = nn.Linear(4, 1)
    before = model.weight.detach().clone()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = GradScaler("cpu")
    loss = (model(torch.rand(8, 4)) - 10).pow(2).mean()
    scaler.scale(loss).backward()
    if unscale:
        scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
    return (model.weight - before).norm().item()


if __name__ == "__main__":
    right = first_step(unscale=True)
    moved = first_step(unscale=False)  # BUG: clips the scaled gradients

    healthy = moved > 0.5 * right
    print("OBSERVED", json.dumps({"healthy": healthy, "moved": "{:.1e}".format(moved),
                                  "with_unscale": "{:.1e}".format(right)}))
    sys.exit(0 if healthy else 1)
