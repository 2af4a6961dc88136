"""O30: a learning rate that is too large at the start works after a warm-up.

At the start the network has large weights and a steep loss. The first steps of a warm-up are small
and lead to a flatter place, where the full learning rate no longer diverges.

Symptom: none: without warm-up the loss becomes nan, with 100 steps of warm-up it falls
Needs:   torch; cpu; about 3 s
Run:     python fix_warmup.py
"""
import json
import math
import sys

import torch
from torch import nn

torch.set_num_threads(1)  # the tensors are too small for threads to help


def train(warmup_steps):
    """The first and the last loss of 300 steps."""
    torch.manual_seed(0)
    inputs = torch.randn(64, 8)
    labels = inputs[:, :1].sin()
    model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 1))
    for p in model.parameters():
        p.data *= 2
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
    scheduler = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / warmup_steps))  # FIX: from small to full
    losses = []
    for step in range(300):
        loss = nn.functional.mse_loss(model(inputs), labels)
        optimizer.zero_grad()
        loss.backward()  # dpkb: ignore[Q2]
        optimizer.step()
        scheduler.step()
        losses.append(loss.item())
    return losses[0], losses[-1], optimizer.param_groups[0]["lr"]


if __name__ == "__main__":
    first, without, lr_without = train(warmup_steps=1)
    first, last, lr = train(warmup_steps=100)

    healthy = math.isnan(without) and last < 0.1 * first and lr == lr_without
    print("OBSERVED", json.dumps({"healthy": healthy, "loss_first": round(first, 3),
                                  "loss_last": round(last, 3), "loss_without": str(without)}))
    sys.exit(0 if healthy else 1)
