"""C32: the first stage trained only the head, and the second one trains everything.

The optimizer of the first stage got the 2 parameters of the head, the one of the second stage gets
4. load_state_dict() compares the numbers of parameters.

Symptom: ValueError: loaded state dict contains a parameter group that doesn't match the size of
optimizer's group
Needs:   torch; cpu; about 2 s
Run:     python broken_unfrozen.py; python fix_all_parameters.py
"""
import json
import sys

import torch
from torch import nn


def optimizer_of(model):
    trained = [p for p in model.parameters() if p.requires_grad]
    return torch.optim.AdamW(trained)  # BUG: the number depends on what is frozen


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
