"""C32: the checkpoint was written with SGD, and the run goes on with AdamW.

The state of SGD has none of the entries that AdamW expects. The first step() looks for them; on
torch 1.13 and 2.0, load_state_dict() already does.

Symptom: KeyError: 'betas'; on older versions 'exp_avg' or 'step'
Needs:   torch; cpu; about 2 s
Run:     python broken_other_class.py; python fix_save_names.py
"""
import json
import sys

import torch
from torch import nn


if __name__ == "__main__":
    model = nn.Linear(4, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model(torch.ones(2, 4)).pow(2).sum().backward()
    optimizer.step()
    saved = optimizer.state_dict()

    resumed = torch.optim.AdamW(model.parameters())
    resumed.load_state_dict(saved)  # BUG: the state of another class
    resumed.step()

    steps = len(resumed.state)
    healthy = steps == 2
    print("OBSERVED", json.dumps({"healthy": healthy, "parameters_with_state": steps}))
    sys.exit(0 if healthy else 1)
