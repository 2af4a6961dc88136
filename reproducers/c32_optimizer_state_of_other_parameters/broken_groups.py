"""C32: the checkpoint has two parameter groups, and the new optimizer has one.

The checkpoint was written with separate groups for weights and biases. load_state_dict() compares
the numbers of groups.

Symptom: ValueError: loaded state dict has a different number of parameter groups
Needs:   torch; cpu; about 2 s
Run:     python broken_groups.py
"""
import json
import sys

import torch
from torch import nn


if __name__ == "__main__":
    model = nn.Linear(4, 3)
    groups = [{"params": [model.weight]}, {"params": [model.bias], "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups)
    model(torch.ones(2, 4)).pow(2).sum().backward()
    optimizer.step()
    saved = optimizer.state_dict()

    resumed = torch.optim.AdamW(model.parameters())  # BUG: one group
    resumed.load_state_dict(saved)

    loaded = len(resumed.state)
    healthy = loaded == 2
    print("OBSERVED", json.dumps({"healthy": healthy, "states_loaded": loaded}))
    sys.exit(0 if healthy else 1)
