"""P3: with the model and its optimizer in half precision, small updates are lost.

bfloat16 has 8 significant bits. A weight of 1.0 changes by at least 0.004 downwards; a step of
less than half of that rounds to nothing.

Symptom: 100 steps of 0.001 leave the weight at 1.0; in float32 it reaches 0.9
Needs:   torch; cpu; about 2 s
Run:     python trap_half_everything.py; python fixed.py
"""
import json
import sys

import torch


def after_100_steps(dtype):
    weight = torch.ones(1, dtype=dtype, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.001)
    for _ in range(100):
        optimizer.zero_grad()
        weight.sum().backward()  # the gradient is 1
        optimizer.step()
    return round(weight.item(), 3)


if __name__ == "__main__":
    in_float32 = after_100_steps(torch.float32)
    in_half = after_100_steps(torch.bfloat16)  # BUG: weights and optimizer in half precision

    healthy = abs(in_half - in_float32) < 0.01
    print("OBSERVED", json.dumps({"healthy": healthy, "in_half": in_half,
                                  "in_float32": in_float32}))
    sys.exit(0 if healthy else 1)
