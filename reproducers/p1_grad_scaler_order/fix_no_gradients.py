"""P1: with an optimizer for the model that is trained, scaler.step() works.

The optimizer is made last, from the model that takes part in the loss. A check before the first
step counts the gradients that it will see.

Symptom: none: 10 steps
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
model = nn.Linear(4, 1)
before = model.weight.detach().clone()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)  # FIX: of the trained model
scaler = GradScaler("cpu")

if __name__ == "__main__":
    steps = 0
    for _ in range(10):
        inputs = torch.rand(8, 4)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = model(inputs).float().pow(2).mean()
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        groups = optimizer.param_groups
        with_gradient = [p for g in groups for p in g["params"] if p.grad is not None]
        assert with_gradient, "the loss does not depend on any parameter of this optimizer"
        print({p.grad.dtype for p in with_gradient})
        scaler.step(optimizer)
        scaler.update()
        steps += 1

    finite = all(bool(torch.isfinite(p).all()) for p in model.parameters())
    healthy = steps == 10 and finite and not torch.equal(before, model.weight)
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": steps}))
    sys.exit(0 if healthy else 1)
