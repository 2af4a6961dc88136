"""P2: in bfloat16 weights small updates are rounded away.

bfloat16 has 8 significant bits. Near 1 its numbers are 0.004 to 0.008 apart, so an update of 1e-4
changes nothing, however often it is made.

Symptom: after 100 updates of 1e-4 the weights are still 1.0; in float32 they are 0.99
Needs:   torch; cpu; about 3 s
Run:     python trap_bfloat16_weights.py
"""
import json
import sys

import torch
from torch import nn


def after_100_steps(dtype):
    weight = nn.Parameter(torch.ones(4, dtype=dtype))
    optimizer = torch.optim.SGD([weight], lr=1e-4)
    for _ in range(100):
        optimizer.zero_grad()
        weight.sum().backward()
        optimizer.step()
    return round(weight[0].item(), 4)


if __name__ == "__main__":
    expected = after_100_steps(torch.float32)
    seen = after_100_steps(torch.bfloat16)  # BUG: the weights themselves in bfloat16

    healthy = abs(seen - expected) < 0.005
    print("OBSERVED", json.dumps({"healthy": healthy, "weight": seen, "in_float32": expected}))
    sys.exit(0 if healthy else 1)
