"""P1: scaler.step() fails if no parameter of the optimizer has a gradient.

The optimizer was made for a different copy of the model, so none of its parameters took part in the
loss. The scaler found nothing to check for inf.

Symptom: AssertionError: No inf checks were recorded for this optimizer.
Needs:   torch; cpu; about 4 s
Run:     python broken_no_gradients.py; python fix_no_gradients.py
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
import copy

model = nn.Linear(4, 1)
before = model.weight.detach().clone()
optimizer = torch.optim.SGD(copy.deepcopy(model).parameters(), lr=0.1)  # BUG: of a copy
scaler = GradScaler("cpu")

if __name__ == "__main__":
    steps = 0
    for _ in range(10):
        inputs = torch.rand(8, 4)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = model(inputs).float().pow(2).mean()
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        steps += 1

    finite = all(bool(torch.isfinite(p).all()) for p in model.parameters())
    healthy = steps == 10 and finite and not torch.equal(before, model.weight)
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": steps}))
    sys.exit(0 if healthy else 1)
