"""C32: the optimizer state is loaded only if its shapes are those of the parameters.

state_fits() compares the groups and the shapes. If they differ, the optimizer starts fresh.

Symptom: none: the state is loaded for the same model and left out for the other one
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch import nn

old_classes, new_classes = 10, 6


def state_fits(optimizer, saved):
    groups, old_groups = optimizer.param_groups, saved["param_groups"]
    if [len(g["params"]) for g in groups] != [len(g["params"]) for g in old_groups]:
        return False
    return all(value.shape == parameter.shape for new, old in zip(groups, old_groups)
               for parameter, number in zip(new["params"], old["params"])
               for value in saved["state"].get(number, {}).values()
               if torch.is_tensor(value) and value.dim())


def train(model, optimizer, steps):
    for _ in range(steps):
        optimizer.zero_grad()
        model(torch.ones(2, 4)).pow(2).sum().backward()
        optimizer.step()


if __name__ == "__main__":
    old = nn.Linear(4, old_classes)
    optimizer = torch.optim.AdamW(old.parameters())
    train(old, optimizer, steps=2)
    same_size, other_size = nn.Linear(4, old_classes), nn.Linear(4, new_classes)
    moments = []
    for model in (same_size, other_size):
        saved = optimizer.state_dict()
        resumed = torch.optim.AdamW(model.parameters())
        if state_fits(resumed, saved):  # FIX: else it starts fresh
            resumed.load_state_dict(saved)
        moments.append(len(resumed.state))
        train(model, resumed, steps=1)

    healthy = moments == [2, 0] and len(resumed.state) == 2
    print("OBSERVED", json.dumps({"healthy": healthy, "states_loaded_by_model": moments}))
    sys.exit(0 if healthy else 1)
