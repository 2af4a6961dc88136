"""A4: allow_unused=True silences the error, and the body never learns.

With it the gradient of an unused parameter is None. The optimizer leaves such a parameter out.

Symptom: nothing is raised, and the weights of the body do not change
Needs:   torch; cpu; about 2 s
Run:     python trap_allow_unused.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)

body, head = nn.Linear(8, 8), nn.Linear(8, 1)
optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
inputs = torch.randn(32, 8)
targets = inputs.sum(dim=1, keepdim=True)


def training_step():
    features = torch.relu(body(inputs)).detach()
    loss = (head(features) - targets).pow(2).mean()
    parameters = [*body.parameters(), *head.parameters()]
    gradients = torch.autograd.grad(loss, parameters, allow_unused=True)  # BUG: body is cut off
    for p, gradient in zip(parameters, gradients):
        p.grad = gradient
    optimizer.step()


if __name__ == "__main__":
    before = body.weight.detach().clone()
    for _ in range(10):
        training_step()

    body_moved = not torch.equal(before, body.weight)
    healthy = body_moved
    print("OBSERVED", json.dumps({"healthy": healthy, "body_moved": body_moved}))
    sys.exit(0 if healthy else 1)
