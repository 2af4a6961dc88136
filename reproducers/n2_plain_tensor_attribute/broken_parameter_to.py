"""N2: nn.Parameter(...).to(...) is a plain tensor, not a parameter.

to() and cuda() return a new, plain tensor when they convert something. Assigned to an attribute, it
is not registered, so parameters() does not list it.

Symptom: ValueError: optimizer got an empty parameter list
Needs:   torch; cpu; about 2 s
Run:     python broken_parameter_to.py; python fix_parameter_then_to.py
"""
import json
import sys

import torch
from torch import nn


class CenterLoss(nn.Module):
    def __init__(self, classes, dim):
        super().__init__()
        centers = nn.Parameter(torch.randn(classes, dim))
        self.centers = centers.to(torch.float64)  # BUG: .to() and .cuda() return a plain tensor

    def forward(self, features, labels):
        return (features - self.centers[labels]).pow(2).mean()


if __name__ == "__main__":
    criterion = CenterLoss(classes=3, dim=2)
    optimizer = torch.optim.SGD(criterion.parameters(), lr=0.1)

    parameters = sum(len(group["params"]) for group in optimizer.param_groups)
    healthy = parameters == 1
    print("OBSERVED", json.dumps({"healthy": healthy, "parameters": parameters}))
    sys.exit(0 if healthy else 1)
