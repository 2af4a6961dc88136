"""A4: a check that names the parameters which got no gradient.

After zero_grad(set_to_none=True) and one backward(), .grad is None for each parameter that took
no part in the loss.

Symptom: none: the check names the two parameters of aux
Needs:   torch; cpu; about 2 s
Run:     python fix_find_without_gradient.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head, self.aux = nn.Linear(8, 8), nn.Linear(8, 1), nn.Linear(8, 1)

    def forward(self, x):
        return self.head(torch.relu(self.body(x)))  # aux is used in another mode


model = Detector()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
inputs = torch.randn(32, 8)
targets = inputs.sum(dim=1, keepdim=True)


def without_gradient(model):
    """The trainable parameters that got no gradient in the last backward()."""
    return [name for name, p in model.named_parameters() if p.requires_grad and p.grad is None]


if __name__ == "__main__":
    optimizer.zero_grad(set_to_none=True)
    (model(inputs) - targets).pow(2).mean().backward()
    missing = without_gradient(model)

    healthy = missing == ["aux.weight", "aux.bias"]  # FIX: names aux, and not body or head
    print("OBSERVED", json.dumps({"healthy": healthy, "missing": missing}))
    sys.exit(0 if healthy else 1)
