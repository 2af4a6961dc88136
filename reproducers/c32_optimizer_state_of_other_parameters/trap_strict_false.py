"""C32: load_state_dict() of an optimizer has no strict argument.

strict belongs to load_state_dict() of a module.

Symptom: TypeError: load_state_dict() got an unexpected keyword argument 'strict'
Needs:   torch; cpu; about 2 s
Run:     python trap_strict_false.py
"""
import json
import sys

import torch
from torch import nn


if __name__ == "__main__":
    model = nn.Linear(4, 3)
    optimizer = torch.optim.AdamW(model.parameters())
    model(torch.ones(2, 4)).pow(2).sum().backward()
    optimizer.step()

    resumed = torch.optim.AdamW(model.parameters())
    resumed.load_state_dict(optimizer.state_dict(), strict=False)  # BUG: modules have it

    loaded = len(resumed.state)
    healthy = loaded == 2
    print("OBSERVED", json.dumps({"healthy": healthy, "states_loaded": loaded}))
    sys.exit(0 if healthy else 1)
