"""P1: without update() the second step() fails.

update() ends an iteration for the scaler. Without it the scaler takes the next step for a second
one in the same iteration.

Symptom: RuntimeError: step() has already been called since the last update().
Needs:   torch; cpu; about 4 s
Run:     python trap_no_update.py
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
model = nn.Linear(4, 1)
before = model.weight.detach().clone()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = GradScaler("cpu")

if __name__ == "__main__":
    steps = 0
    for _ in range(10):
        inputs = torch.rand(8, 4)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = model(inputs).float().pow(2).mean()
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)  # BUG: no scaler.update() follows
        steps += 1

    finite = all(bool(torch.isfinite(p).all()) for p in model.parameters())
    healthy = steps == 10 and finite and not torch.equal(before, model.weight)
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": steps}))
    sys.exit(0 if healthy else 1)
