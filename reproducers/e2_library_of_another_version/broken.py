"""E2: the code uses a name that the installed numpy does not have any more.

numpy 1.24 removed the aliases of Python's own types, such as np.float. The code was written for an
older numpy.

Symptom: AttributeError: module 'numpy' has no attribute 'float'.
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
    return np.linspace(0, 1, count).astype(np.float)  # BUG: gone since numpy 1.24


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
