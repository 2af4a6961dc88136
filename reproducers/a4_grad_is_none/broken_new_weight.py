"""A4: `weight = weight - lr * grad` makes a new tensor without a gradient.

The name `weight` now refers to a new tensor. Its .grad is None, and under no_grad() it does not
even require one.

Symptom: AttributeError: 'NoneType' object has no attribute 'zero_'
Needs:   torch; cpu; about 2 s
Run:     python broken_new_weight.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)

weight = torch.zeros(8, 1, requires_grad=True)
inputs = torch.randn(32, 8)
targets = inputs.sum(dim=1, keepdim=True)


def training_step():
    global weight
    loss = (inputs @ weight - targets).pow(2).mean()
    loss.backward()
    with torch.no_grad():
        weight = weight - 0.1 * weight.grad  # BUG: a new tensor, its .grad is None
    weight.grad.zero_()
    return loss.item()


if __name__ == "__main__":
    torch.set_num_threads(1)
    losses = [training_step() for _ in range(10)]

    healthy = losses[-1] < 0.9 * losses[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": len(losses),
                                  "loss_first_and_last": [round(losses[0], 2),
                                                          round(losses[-1], 2)]}))
    sys.exit(0 if healthy else 1)
