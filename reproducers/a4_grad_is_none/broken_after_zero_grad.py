"""A4: the norm of the gradients is read after zero_grad().

From torch 2.0 on zero_grad() sets .grad to None. Before, it filled .grad with zeros, so the norm
in the log was 0.

Symptom: AttributeError: 'NoneType' object has no attribute 'norm'
Needs:   torch; cpu; about 2 s
Run:     python broken_after_zero_grad.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)

model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
inputs = torch.randn(32, 8)
targets = inputs.sum(dim=1, keepdim=True)


def training_step():
    loss = (model(inputs) - targets).pow(2).mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)  # the default from torch 2.0 on
    return sum(p.grad.norm().item() for p in model.parameters())  # BUG: after zero_grad()


if __name__ == "__main__":
    torch.set_num_threads(1)
    norms = [training_step() for _ in range(10)]

    healthy = len(norms) == 10 and 0 < norms[-1] < norms[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": len(norms),
                                  "norm_first_and_last": [round(norms[0], 2),
                                                          round(norms[-1], 2)]}))
    sys.exit(0 if healthy else 1)
