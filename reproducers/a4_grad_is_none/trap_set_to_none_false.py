"""A4: zero_grad(set_to_none=False) silences the error, and the log shows zeros.

The gradients are filled with zeros instead of set to None. What is read afterwards is still not
the gradient of the step.

Symptom: nothing is raised, and each norm in the log is 0
Needs:   torch; cpu; about 2 s
Run:     python trap_set_to_none_false.py
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
    optimizer.zero_grad(set_to_none=False)  # BUG: zeros are no gradient either
    return sum(p.grad.norm().item() for p in model.parameters())


if __name__ == "__main__":
    torch.set_num_threads(1)
    norms = [training_step() for _ in range(10)]

    healthy = len(norms) == 10 and 0 < norms[-1] < norms[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": len(norms),
                                  "norm_first_and_last": [round(norms[0], 2),
                                                          round(norms[-1], 2)]}))
    sys.exit(0 if healthy else 1)
