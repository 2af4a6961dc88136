"""N1: a check that lists the modules whose forward() is called directly.

The check counts how often each module's forward() runs and how often its hooks run. A module whose
forward() ran more often was called without its hooks.

Symptom: none: the check names the model and its encoder, and nothing in the corrected model
Needs:   torch; cpu; about 2 s
Run:     python fix_find_direct_calls.py
"""
import json
import sys
from collections import Counter

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        return self.head(self.encoder(x))


class Bypassing(Net):
    def forward(self, x):
        return self.head(self.encoder.forward(x))  # skips its hooks; dpkb: ignore[N1]


def direct_forwards(model, run_one_step):
    """Names of the modules whose forward() ran more often than their hooks ("" is the model)."""
    ran, called, handles = Counter(), Counter(), []
    for name, module in model.named_modules():
        def forward(*args, _name=name, _forward=module.forward, **kwargs):
            ran[_name] += 1
            return _forward(*args, **kwargs)

        def hook(*args, _name=name):
            called[_name] += 1

        module.forward = forward
        handles.append(module.register_forward_hook(hook))
    run_one_step()
    for module, handle in zip(model.modules(), handles):
        del module.forward
        handle.remove()
    return [name for name in ran if ran[name] > called[name]]


if __name__ == "__main__":
    x = torch.randn(3, 4)
    bypassing, model = Bypassing(), Net()
    found = direct_forwards(bypassing, lambda: bypassing.forward(x))
    found_in_fixed = direct_forwards(model, lambda: model(x))

    healthy = found == ["", "encoder"] and found_in_fixed == []  # FIX: names the modules
    print("OBSERVED", json.dumps({"healthy": healthy, "found": found,
                                  "found_in_fixed": found_in_fixed}))
    sys.exit(0 if healthy else 1)
