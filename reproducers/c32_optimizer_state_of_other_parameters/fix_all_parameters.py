"""C32: all parameters are in the optimizer from the start, also the frozen ones.

An optimizer skips parameters whose .grad is None. The groups keep their size when something is
frozen or unfrozen, and the state of the head is kept.

Symptom: none: the head goes on at step 2, the other layer starts at step 1
Needs:   torch; cpu; about 2 s
Run:     python broken_unfrozen.py; python fix_all_parameters.py
"""
import json
import sys

import torch
from torch import nn


def optimizer_of(model):
    return torch.optim.AdamW(model.parameters())  # FIX: whether they are frozen or not


if __name__ == "__main__":
    model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 3))
    model[0].requires_grad_(False)
    optimizer = optimizer_of(model)
    model(torch.ones(2, 4)).pow(2).sum().backward()
    optimizer.step()
    saved = optimizer.state_dict()

    model[0].requires_grad_(True)
    resumed = optimizer_of(model)
    resumed.load_state_dict(saved)
    model(torch.ones(2, 4)).pow(2).sum().backward()
    resumed.step()

    steps = [int(resumed.state[p]["step"]) for p in model.parameters()]
    healthy = steps == [1, 1, 2, 2]
    print("OBSERVED", json.dumps({"healthy": healthy, "step_by_parameter": steps}))
    sys.exit(0 if healthy else 1)
