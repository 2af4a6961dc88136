"""Q2: skipping the steps whose loss is nan skips all of them once a weight is nan.

The loss of the first step is finite, its gradient is not. The step makes the weights nan, and from
then on every loss is nan, so the loop does nothing until the end and raises nothing.

Symptom: 1 of 20 steps was made, the weights are nan, the program ends normally
Needs:   torch; cpu; about 3 s
Run:     python trap_skip_nan_loss.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

if __name__ == "__main__":
    inputs = torch.rand(20, 8, 4)
    target = torch.rand(20, 8, 2)
    target[0, 3] = model(inputs[0]).detach()[3]  # one prediction is exactly right
    steps = 0
    for step in range(20):
        loss = (model(inputs[step]) - target[step]).pow(2).sum(1).sqrt().mean()
        if not torch.isfinite(loss):  # BUG: hides the fault; the weights are nan already
            continue
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        steps += 1

    finite = all(torch.isfinite(p).all().item() for p in model.parameters())
    healthy = steps == 20 and finite
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": steps, "weights_finite": finite}))
    sys.exit(0 if healthy else 1)
