"""E6: super().__init__() is the first line of __init__.

Then the dict for the layers is there.

Symptom: none
Needs:   torch; cpu; about 3 s
Run:     python fix_module_init.py
"""
import json
import sys

import torch
from torch import nn


class Net(nn.Module):
    """One layer."""

    def __init__(self):
        super().__init__()  # FIX: before the first layer
        self.layer = nn.Linear(3, 2)

    def forward(self, x):
        return self.layer(x)


if __name__ == "__main__":
    model = Net()
    shape = list(model(torch.randn(4, 3)).shape)

    healthy = shape == [4, 2]
    print("OBSERVED", json.dumps({"healthy": healthy, "rows_and_columns": shape}))
    sys.exit(0 if healthy else 1)
