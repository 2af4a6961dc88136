"""O37: [0] on a model that returns one tensor takes the first sample.

The line was copied from code for a model that returns a tuple. On a tensor of 32 samples, [0] is
the output of one sample.

Symptom: the shapes of input and target do not fit: [3] and [32]
Needs:   torch; cpu; about 2 s
Run:     python broken_index_zero.py
"""
import json
import sys

import torch
from torch import nn


if __name__ == "__main__":
    torch.manual_seed(0)
    model = nn.Linear(8, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    x, labels = torch.randn(32, 8), torch.randint(3, (32,))
    losses = []
    for _ in range(20):
        optimizer.zero_grad()
        logits = model(x)[0]  # BUG: the first sample
        loss = nn.functional.cross_entropy(logits, labels)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    healthy = losses[-1] < 0.8 * losses[0] and len(losses) == 20
    print("OBSERVED", json.dumps({"healthy": healthy, "loss_first": round(losses[0], 2),
                                  "loss_last": round(losses[-1], 2)}))
    sys.exit(0 if healthy else 1)
