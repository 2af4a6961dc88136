"""N2: a tensor that is converted first and made a parameter last is a parameter.

The tensor is converted while it is a plain tensor. nn.Parameter comes last, so the attribute is a
parameter and is registered.

Symptom: none: the optimizer gets one parameter and moves it
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
        centers = torch.randn(classes, dim).to(torch.float64)
        self.centers = nn.Parameter(centers)  # FIX: convert first, then make it a parameter

    def forward(self, features, labels):
        return (features - self.centers[labels]).pow(2).mean()


if __name__ == "__main__":
    criterion = CenterLoss(classes=3, dim=2)
    optimizer = torch.optim.SGD(criterion.parameters(), lr=0.1)
    before = criterion.centers.clone()
    criterion(torch.zeros(2, 2), torch.tensor([0, 2])).backward()
    optimizer.step()

    parameters = sum(len(group["params"]) for group in optimizer.param_groups)
    moved = (criterion.centers != before).any(dim=1).tolist()
    healthy = parameters == 1 and moved == [True, False, True]
    print("OBSERVED", json.dumps({"healthy": healthy, "parameters": parameters,
                                  "moved_by_class": moved}))
    sys.exit(0 if healthy else 1)
