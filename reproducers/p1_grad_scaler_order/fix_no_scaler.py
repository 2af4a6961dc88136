"""P1: bfloat16 weights are trained without a GradScaler.

bfloat16 has the range of float32, so small gradients do not become zero, and no scale is needed.

Symptom: none: 10 steps, and the loss falls
Needs:   torch; cpu; about 4 s
Run:     python fix_no_scaler.py
"""
import json
import sys

import torch
from torch import nn

if __name__ == "__main__":
    torch.manual_seed(0)
    model = nn.Linear(4, 1).to(torch.bfloat16)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    inputs = torch.rand(8, 4).to(torch.bfloat16)
    losses = []
    for _ in range(10):
        loss = (model(inputs) - inputs.sum(1, keepdim=True)).float().pow(2).mean()
        optimizer.zero_grad()
        loss.backward()  # FIX: no scaler.scale(loss)
        optimizer.step()  # FIX: no scaler.step(optimizer)
        losses.append(loss.item())

    healthy = losses[-1] < 0.5 * losses[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "loss_first": round(losses[0], 2),
                                  "loss_last": round(losses[-1], 2)}))
    sys.exit(0 if healthy else 1)
