"""E2: a try around the import hides the error, and training goes on without the feature.

The import fails, the name becomes None, and code that asks for it takes the other branch.

Symptom: no error, and the weight decay of 0.5 is not applied: 0 of 3 steps
Needs:   torch; cpu; about 2 s
Run:     python trap_silenced_import.py
"""
import json
import sys

import torch

steps = 3

try:
    from torch.optim import AdamWithDecay  # a name of another version
except ImportError:
    AdamWithDecay = None  # BUG: the run goes on

if __name__ == "__main__":
    weight = torch.nn.Parameter(torch.ones(1))
    if AdamWithDecay is not None:
        optimizer = AdamWithDecay([weight], lr=0.1, weight_decay=0.5)
    else:
        optimizer = torch.optim.AdamW([weight], lr=0.1, weight_decay=0)
    decays = 0
    for _ in range(steps):
        before = weight.item()
        weight.grad = torch.zeros(1)
        optimizer.step()
        decays += weight.item() < before

    healthy = decays == steps
    print("OBSERVED", json.dumps({"healthy": healthy, "decayed_steps": decays, "steps": steps}))
    sys.exit(0 if healthy else 1)
