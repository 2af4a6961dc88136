"""E6: a Module gets a layer before Module.__init__() has run.

nn.Module keeps layers in dicts that its __init__ makes.

Symptom: AttributeError: cannot assign module before Module.__init__() call
Needs:   torch; cpu; about 3 s
Run:     python broken_module_init.py
"""
import json
import sys

import torch
from torch import nn


class Net(nn.Module):
    """One layer."""

    def __init__(self):
        # BUG: no super().__init__()
        self.layer = nn.Linear(3, 2)

    def forward(self, x):
        return self.layer(x)


if __name__ == "__main__":
    model = Net()
    shape = list(model(torch.randn(4, 3)).shape)

    healthy = shape == [4, 2]
    print("OBSERVED", json.dumps({"healthy": healthy, "rows_and_columns": shape}))
    sys.exit(0 if healthy else 1)
