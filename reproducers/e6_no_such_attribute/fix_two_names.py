"""E6: the loss function and its result have two names.

The function is still there in the second step.

Symptom: none
Needs:   torch; cpu; about 3 s
Run:     python fix_two_names.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)


if __name__ == "__main__":
    model = nn.Linear(3, 2)
    loss = nn.CrossEntropyLoss()
    x, y = torch.randn(6, 3), torch.tensor([0, 1, 0, 1, 1, 0])
    steps = 0
    for _ in range(3):
        value = loss(model(x), y)  # FIX: a name of its own
        value.backward()
        steps += 1

    healthy = steps == 3
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": steps}))
    sys.exit(0 if healthy else 1)
