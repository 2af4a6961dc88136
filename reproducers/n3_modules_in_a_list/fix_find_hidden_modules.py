"""N3: a check that lists the attributes which hide layers or parameters from their model.

The check looks through the attributes of every registered module for lists, tuples and dicts that
hold layers or parameters. A ModuleList is registered, so it is not reported.

Symptom: none: the check names `layers`, `head.branches` and `scales`, and no ModuleList
Needs:   torch; cpu; about 2 s
Run:     python fix_find_hidden_modules.py
"""
import json
import sys

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [[nn.Linear(8, 8), nn.ReLU()] for _ in range(2)]  # nested  # dpkb: ignore[N3]
        self.scales = (nn.Parameter(torch.ones(8)),)  # a tuple  # dpkb: ignore[N3]
        self.blocks = nn.ModuleList([nn.Linear(8, 8)])
        self.head = nn.Linear(8, 2)
        self.head.branches = {"a": nn.Linear(8, 8)}  # a dict in a submodule


def hidden_modules(model):  # FIX: names what is not registered
    """Names of the lists, tuples and dicts that hold layers or parameters."""
    def holds_layers(value):
        if isinstance(value, dict):
            value = list(value.values())
        if isinstance(value, (list, tuple)):
            return any(map(holds_layers, value))
        return isinstance(value, (nn.Module, nn.Parameter))

    return [name + "." + key if name else key
            for name, module in model.named_modules() for key, value in vars(module).items()
            if not key.startswith("_") and holds_layers(value)]


if __name__ == "__main__":
    found = hidden_modules(Net())

    healthy = found == ["layers", "scales", "head.branches"]
    print("OBSERVED", json.dumps({"healthy": healthy, "found": found}))
    sys.exit(0 if healthy else 1)
