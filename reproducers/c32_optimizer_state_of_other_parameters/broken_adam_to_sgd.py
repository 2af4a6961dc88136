"""C32: the checkpoint was written with AdamW, and the run goes on with SGD.

The saved groups replace the settings of SGD, so its momentum is no longer there. The first step()
looks for it.

Symptom: KeyError: 'momentum'
Needs:   torch; cpu; about 2 s
Run:     python broken_adam_to_sgd.py; python fix_save_names.py
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
    saved = optimizer.state_dict()

    before = model.weight.detach().clone()
    resumed = torch.optim.SGD(model.parameters(), lr=0.1)
    resumed.load_state_dict(saved)  # BUG: the state of another class
    resumed.step()

    moved = (model.weight - before).abs().max().item()
    healthy = moved > 0
    print("OBSERVED", json.dumps({"healthy": healthy, "largest_change": moved}))
    sys.exit(0 if healthy else 1)
