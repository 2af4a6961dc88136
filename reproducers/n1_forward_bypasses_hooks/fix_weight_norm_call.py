"""N1: a weight_norm layer trains when the layer itself is called.

weight_norm computes the weight in a forward pre-hook. The call runs that hook in every step, so
each step has a fresh weight with its own graph.

Symptom: none: all 3 steps run
Needs:   torch; cpu; about 2 s
Run:     python fix_weight_norm_call.py
"""
import json
import sys

import torch
from torch import nn

steps = 3

if __name__ == "__main__":
    torch.manual_seed(0)
    layer = nn.utils.weight_norm(nn.Linear(4, 2))  # a forward pre-hook computes weight from g and v
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    x, done = torch.randn(8, 4), 0
    for _ in range(steps):
        loss = layer(x).pow(2).mean()  # FIX: the pre-hook computes the weight in every step
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        done += 1

    healthy = done == steps
    print("OBSERVED", json.dumps({"healthy": healthy, "steps_done": done, "steps": steps}))
    sys.exit(0 if healthy else 1)
