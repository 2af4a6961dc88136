"""C32: try and except around load_state_dict() does not catch it.

load_state_dict() of an optimizer does not compare shapes. The moments of 10 classes are loaded for
6, and the error comes from step(), some lines later.

Symptom: loaded, with moments of shape [10, 4] for a weight of shape [6, 4]
Needs:   torch; cpu; about 2 s
Run:     python trap_try_except.py
"""
import json
import sys

import torch
from torch import nn


def load_or_start_fresh(optimizer, saved):
    try:
        optimizer.load_state_dict(saved)  # BUG: raises nothing for other shapes
    except (KeyError, RuntimeError, ValueError):
        return "refused"
    return "loaded"


if __name__ == "__main__":
    old, model = nn.Linear(4, 10), nn.Linear(4, 6)
    optimizer = torch.optim.AdamW(old.parameters())
    old(torch.ones(2, 4)).pow(2).sum().backward()
    optimizer.step()
    saved = optimizer.state_dict()

    one_group = torch.optim.AdamW([model.weight])
    outcomes = [load_or_start_fresh(one_group, saved)]  # a wrong number of parameters
    resumed = torch.optim.AdamW(model.parameters())
    outcomes.append(load_or_start_fresh(resumed, saved))
    moments = list(resumed.state[model.weight]["exp_avg"].shape)

    healthy = outcomes == ["refused", "refused"]
    print("OBSERVED", json.dumps({"healthy": healthy, "outcomes": outcomes,
                                  "moments": moments, "weight": list(model.weight.shape)}))
    sys.exit(0 if healthy else 1)
