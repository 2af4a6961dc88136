"""E6: the result of the loss function replaces the function.

In the second step `loss` is the tensor of the first step.

Symptom: TypeError: 'Tensor' object is not callable
Needs:   torch; cpu; about 3 s
Run:     python broken_name_reused.py
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
        loss = loss(model(x), y)  # BUG: the name of the function
        loss.backward()
        steps += 1

    healthy = steps == 3
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": steps}))
    sys.exit(0 if healthy else 1)
