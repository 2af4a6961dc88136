"""Q2: a learning rate of 1e-16 does not help against a nan.

The first gradient is nan because of the square root. Any learning rate times nan is nan.

Symptom: with lr 0.01 and with lr 1e-16 all weights are nan after the first step
Needs:   torch; cpu; about 3 s
Run:     python trap_lower_lr.py
"""
import json
import sys

import torch
from torch import nn


def nan_after(lr):
    """The number of weights that are nan after one step."""
    torch.manual_seed(0)
    model = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    inputs, target = torch.rand(8, 4), torch.rand(8, 2)
    target[3] = model(inputs).detach()[3]  # one prediction is exactly right
    loss = (model(inputs) - target).pow(2).sum(1).sqrt().mean()
    loss.backward()
    optimizer.step()
    return sum(int(torch.isnan(p).sum()) for p in model.parameters())


if __name__ == "__main__":
    before = nan_after(lr=0.01)
    after = nan_after(lr=1e-16)  # BUG: the fault is in the formula

    healthy = after == 0 < before
    print("OBSERVED", json.dumps({"healthy": healthy, "nan_weights_before": before,
                                  "nan_weights_after": after}))
    sys.exit(0 if healthy else 1)
