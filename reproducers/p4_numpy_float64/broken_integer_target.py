"""P4: binary_cross_entropy() gets labels that are integers, and the error comes from backward().

Class numbers for cross_entropy() are integers. The targets of BCE are probabilities, so floats.

Symptom: RuntimeError: Found dtype Long but expected Float
Needs:   torch; cpu; about 2 s
Run:     python broken_integer_target.py; python fix_integer_target.py
"""
import json
import sys

import torch
from torch import nn

steps = 40


if __name__ == "__main__":
    torch.manual_seed(0)
    x = torch.linspace(-1, 1, 64).reshape(32, 2)
    y = (x.sum(1, keepdim=True) > 0).long()  # BUG: integers
    model = nn.Sequential(nn.Linear(2, 1), nn.Sigmoid())
    optimizer = torch.optim.SGD(model.parameters(), lr=2.0)
    losses = []
    for step in range(steps):
        loss = nn.functional.binary_cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    healthy = losses[-1] < losses[0] / 1.5
    print("OBSERVED", json.dumps({"healthy": healthy,
                                  "first_and_last_loss": [round(losses[0], 3),
                                                          round(losses[-1], 3)]}))
    sys.exit(0 if healthy else 1)
