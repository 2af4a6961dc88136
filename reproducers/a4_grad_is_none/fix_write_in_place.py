"""A4: `weight -= lr * grad` changes the same tensor.

The tensor stays the same leaf, so its gradient is where it was.

Symptom: none: the loss falls
Needs:   torch; cpu; about 2 s
Run:     python fix_write_in_place.py
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
        weight -= 0.1 * weight.grad  # FIX: the same tensor
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
