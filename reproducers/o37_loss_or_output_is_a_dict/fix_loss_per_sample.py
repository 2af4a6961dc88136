"""O37: the weighted values of a loss with reduction="none" are reduced to their mean.

With DataParallel, loss.mean() joins the losses of the GPUs in the same way (not run here).

Symptom: none: the loss falls
Needs:   torch; cpu; about 3 s
Run:     python fix_loss_per_sample.py; python broken_loss_per_sample.py
"""
import json
import sys

import torch
from torch import nn

if __name__ == "__main__":
    torch.manual_seed(0)
    inputs, labels = torch.randn(32, 4), torch.arange(32) % 3
    weights = torch.ones(32)
    model = nn.Linear(4, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for _ in range(20):
        loss = nn.functional.cross_entropy(model(inputs), labels, reduction="none")
        loss = (loss * weights).mean()  # FIX: one number
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    healthy = losses[-1] < losses[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "loss_first": round(losses[0], 2),
                                  "loss_last": round(losses[-1], 2)}))
    sys.exit(0 if healthy else 1)
