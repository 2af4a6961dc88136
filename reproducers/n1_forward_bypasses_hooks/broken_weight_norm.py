"""N1: a weight_norm layer raises in the second step when forward() is called directly.

weight_norm computes the weight in a forward pre-hook, which `layer.forward(x)` skips. The layer
keeps its first weight, whose graph the first backward() has freed.

Symptom: the 2nd backward() raises `Trying to backward through the graph a second time`
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
    layer = nn.utils.weight_norm(nn.Linear(4, 2))  # a forward pre-hook computes weight from g and v
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    x, done = torch.randn(8, 4), 0
    for _ in range(steps):
        loss = layer.forward(x).pow(2).mean()  # BUG: no hook, so weight is stale
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        done += 1

    healthy = done == steps
    print("OBSERVED", json.dumps({"healthy": healthy, "steps_done": done, "steps": steps}))
    sys.exit(0 if healthy else 1)
