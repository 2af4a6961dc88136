"""E2: a name that old and new releases of numpy have.

np.float64 is what np.float stood for. It is there before and after numpy 1.24, so the code runs
with both.

Symptom: none: the loss falls
Needs:   torch, numpy; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import numpy as np
import torch

steps = 20

if tuple(int(part) for part in np.__version__.split(".")[:2]) < (1, 24):
    print("SKIPPED numpy is older than 1.24")
    sys.exit(77)


def make_inputs(count):
    return np.linspace(0, 1, count).astype(np.float64)  # FIX: the name that all of them have


if __name__ == "__main__":
    torch.manual_seed(0)
    inputs = torch.as_tensor(make_inputs(8), dtype=torch.float32).reshape(-1, 1)
    model = torch.nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for _ in range(steps):
        loss = ((model(inputs) - 2 * inputs) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    healthy = losses[-1] < losses[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "first_loss": round(losses[0], 4),
                                  "last_loss": round(losses[-1], 4)}))
    sys.exit(0 if healthy else 1)
