"""N1: model.forward(x) computes the output, but the model's hooks do not run.

Hooks belong to the call, not to forward(): `model(x)` is Module.__call__, which runs the pre-
hooks, forward() and the forward hooks of that one module. Calling forward() oneself leaves them
out, and with them everything that is built on hooks or on a wrapper's own forward().

Symptom: with weight_norm the 2nd backward() says `Trying to backward through the graph a second
         time`
Needs:   torch; cpu; about 2 s
Run:     python broken_weight_norm.py; python fix_weight_norm_call.py
"""
import json
import sys

import torch
from torch import nn

steps = 3

if __name__ == "__main__":
    torch.manual_seed(0)
    layer = nn.utils.weight_norm(nn.Linear(4, 2))  # a forward pre-hook makes weight from g and v
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    x, done = torch.randn(8, 4), 0
    for _ in range(steps):
        loss = layer(x).pow(2).mean()  # FIX: the pre-hook makes the weight anew in every step
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        done += 1

    healthy = done == steps
    print("OBSERVED", json.dumps({"healthy": healthy, "steps_done": done, "steps": steps}))
    sys.exit(0 if healthy else 1)
