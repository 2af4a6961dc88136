"""P3: the weights stay float32, and autocast casts where it helps.

autocast casts the inputs of matrix products and keeps sums and losses in float32, so nothing has
to be cast by hand.

Symptom: none: 20 steps, and the loss falls
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch import nn

half = torch.bfloat16  # the same rules as float16, and every CPU has it

if not hasattr(torch, "autocast"):
    print("SKIPPED torch.autocast came with torch 1.10")
    sys.exit(77)


if __name__ == "__main__":
    torch.manual_seed(0)
    images, targets = torch.randn(16, 8), torch.randn(16, 1)
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))  # FIX: float32
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    losses = []
    for _ in range(20):
        with torch.autocast("cpu", dtype=half):  # FIX: around forward and loss
            scores = model(images)
            loss = nn.functional.mse_loss(scores, targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    dtypes = [str(model[0].weight.dtype), str(scores.dtype)]
    healthy = losses[-1] < 0.9 * losses[0] and dtypes == ["torch.float32", "torch.bfloat16"]
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": len(losses), "dtypes": dtypes}))
    sys.exit(0 if healthy else 1)
