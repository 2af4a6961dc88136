"""P1: a GradScaler refuses gradients in float16, which come from a model in float16.

The scaler divides gradients in float32 only. A model that was loaded in float16, or cast to it,
has float16 gradients.

Symptom: ValueError: Attempting to unscale FP16 gradients.
Needs:   torch; cpu; about 4 s
Run:     python broken_fp16_weights.py; python fix_fp32_weights.py
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
model = nn.Linear(4, 1).half()  # BUG: float16 weights have float16 gradients
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
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        steps += 1

    finite = all(bool(torch.isfinite(p).all()) for p in model.parameters())
    healthy = steps == 10 and finite and not torch.equal(before, model.weight)
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": steps}))
    sys.exit(0 if healthy else 1)
