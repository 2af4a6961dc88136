"""P1: with gradient accumulation, unscale_ is called once per optimizer step.

Four micro-batches are accumulated. unscale_, clipping, step and update are all in the branch of
the last one, so each of them runs once per step.

Symptom: none: 5 steps from 20 micro-batches
Needs:   torch; cpu; about 4 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
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

accumulate = 4
torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = GradScaler("cpu")

if __name__ == "__main__":
    losses = []
    steps = 0
    for index in range(20):
        inputs = torch.rand(8, 4)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = nn.functional.mse_loss(model(inputs).float(), inputs.sum(1, keepdim=True))
        scaler.scale(loss / accumulate).backward()
        if (index + 1) % accumulate == 0:  # FIX: unscale_ only in the branch that steps
            scaler.unscale_(optimizer)  # FIX
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()
            steps += 1
        losses.append(loss.item())

    healthy = steps == 5 and losses[-1] < 0.8 * losses[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": steps,
                                  "loss_first": round(losses[0], 2),
                                  "loss_last": round(losses[-1], 2)}))
    sys.exit(0 if healthy else 1)
