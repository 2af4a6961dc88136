"""N2: a check that lists the tensors which a module holds but has not registered.

The check looks through the attributes of every submodule, also inside lists and dicts. Parameters
and buffers are stored elsewhere, so it does not report them.

Symptom: none: the check names `grid`, `table` and `child.mask`, and no parameter or buffer
Needs:   torch; cpu; about 2 s
Run:     python fix_find_plain_tensors.py
"""
import json
import sys

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.register_buffer("mean", torch.zeros(4))
        self.grid = torch.linspace(0, 1, 4)  # a plain attribute
        self.table = {"a": torch.ones(4)}  # a tensor in a dict
        self.child = nn.ReLU()
        self.child.mask = torch.ones(4)  # a plain attribute of a submodule


def plain_tensors(model):
    """Names of the attributes that hold tensors which are neither parameters nor buffers."""
    found = []
    for name, module in model.named_modules():
        for key, value in vars(module).items():
            if key.startswith("_"):
                continue
            items = value.values() if isinstance(value, dict) else value
            items = items if isinstance(value, (list, tuple, dict)) else [value]
            if any(torch.is_tensor(item) for item in items):  # FIX: also inside a list or a dict
                found.append(name + "." + key if name else key)
    return found


if __name__ == "__main__":
    found = plain_tensors(Model())

    healthy = found == ["grid", "table", "child.mask"]
    print("OBSERVED", json.dumps({"healthy": healthy, "found": found}))
    sys.exit(0 if healthy else 1)
