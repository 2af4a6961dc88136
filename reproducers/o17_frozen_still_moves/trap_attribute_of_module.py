"""O17: requires_grad = False on a module freezes nothing.

`backbone.requires_grad = False` sets an attribute that nothing reads. The method requires_grad_()
changes the parameters.

Symptom: the backbone trains as if nothing had been set
Needs:   torch; cpu; about 3 s
Run:     python trap_attribute_of_module.py; python fixed.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
backbone, head = nn.Linear(16, 16), nn.Linear(16, 4)
model = nn.Sequential(backbone, nn.ReLU(), head)
backbone.requires_grad = False  # BUG: only sets an attribute; use backbone.requires_grad_(False)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
inputs, labels = torch.randn(64, 16), torch.randint(4, (64,))

if __name__ == "__main__":
    before = backbone.weight.detach().clone()
    for _ in range(5):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(inputs), labels).backward()
        optimizer.step()

    moved = round((backbone.weight - before).abs().max().item(), 4)
    healthy = moved == 0
    print("OBSERVED", json.dumps({"healthy": healthy, "frozen_weight_moved_by": moved,
                                  "weight_requires_grad": backbone.weight.requires_grad}))
    sys.exit(0 if healthy else 1)
