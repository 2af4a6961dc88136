"""O34: the norm of a zero vector has a finite gradient if eps is added under the root.

The derivative of the square root at 0 is infinite. With eps under the root it is finite, and zero
times it is zero.

Symptom: none: 20 steps, and all weights are finite
Needs:   torch; cpu; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch import nn

torch.set_num_threads(1)  # the tensors are too small for threads to help
torch.manual_seed(0)
model = nn.Linear(4, 8)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
anchors, others = torch.randn(20, 16, 4), torch.randn(20, 16, 4)
others[5, 3] = anchors[5, 3]  # one pair is a sample and itself

if __name__ == "__main__":
    losses = []
    for a, b in zip(anchors, others):
        difference = model(a) - model(b)
        distance = (difference.pow(2).sum(1) + 1e-12).sqrt()  # FIX: eps under the root
        loss = (1 - distance).clamp(min=0).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    finite = all(bool(torch.isfinite(p).all()) for p in model.parameters())
    healthy = finite and losses[-1] < losses[5] and len(losses) == 20
    print("OBSERVED", json.dumps({"healthy": healthy, "loss_at_step_5": round(losses[5], 3),
                                  "loss_last": str(round(losses[-1], 3)),
                                  "weights_finite": finite}))
    sys.exit(0 if healthy else 1)
