"""P1: unscale_ for each micro-batch fails at the second one.

Four micro-batches are accumulated. unscale_ divides the gradients by the scale, so a second call
before update() would divide them again.

Symptom: RuntimeError: unscale_() has already been called on this optimizer since the last update().
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
        scaler.unscale_(optimizer)  # BUG: for each micro-batch
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        if (index + 1) % accumulate == 0:
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
