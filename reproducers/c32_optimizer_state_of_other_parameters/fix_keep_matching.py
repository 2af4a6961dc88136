"""C32: the moments of the layers that did not change are kept.

The names of the parameters are saved with the state. The new optimizer takes the state of each
parameter with the same name and shape, and starts fresh for the others.

Symptom: none: the first layer goes on at step 3, the new head starts at step 1
Needs:   torch; cpu; about 2 s
Run:     python fix_keep_matching.py
"""
import json
import sys

import torch
from torch import nn


def network(classes):
    return nn.Sequential(nn.Linear(4, 4), nn.Linear(4, classes))


def train(model, optimizer, steps):
    for _ in range(steps):
        optimizer.zero_grad()
        model(torch.ones(2, 4)).pow(2).sum().backward()
        optimizer.step()


def keep_matching(optimizer, names, saved, saved_names):  # FIX: by name and shape
    """Load the saved state of the parameters that have the same name and shape."""
    number_of = {name: number for number, name in enumerate(saved_names)}
    parameters = [p for group in optimizer.param_groups for p in group["params"]]
    state = optimizer.state_dict()
    for number, (name, parameter) in enumerate(zip(names, parameters)):
        old = saved["state"].get(number_of.get(name), {})
        sizes = {v.shape for v in old.values() if torch.is_tensor(v) and v.dim()}
        if sizes == {parameter.shape}:
            state["state"][number] = old
    optimizer.load_state_dict(state)


if __name__ == "__main__":
    old = network(classes=5)
    optimizer = torch.optim.AdamW(old.parameters())
    train(old, optimizer, steps=2)
    saved, saved_names = optimizer.state_dict(), [name for name, _ in old.named_parameters()]

    model = network(classes=3)
    resumed = torch.optim.AdamW(model.parameters())
    names = [name for name, _ in model.named_parameters()]
    keep_matching(resumed, names, saved, saved_names)
    train(model, resumed, steps=1)

    steps = [int(resumed.state[p]["step"]) for p in model.parameters()]
    healthy = steps == [3, 3, 1, 1]
    print("OBSERVED", json.dumps({"healthy": healthy, "step_by_parameter": steps}))
    sys.exit(0 if healthy else 1)
