"""A1: a parameter is initialised under no_grad() and trains afterwards.

A parameter is a leaf: a tensor that no operation has made. Under no_grad() it can be overwritten.

Symptom: none: the bias starts at -4.6 and moves with the first step
Needs:   torch; cpu; about 2 s
Run:     python fix_leaf_no_grad.py
"""
import json
import sys

import torch
from torch import nn

head = nn.Linear(8, 3)
with torch.no_grad():  # FIX: the write is not recorded
    head.bias.fill_(-4.6)

if __name__ == "__main__":
    torch.manual_seed(0)
    prior = head.bias.tolist()
    optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
    head(torch.randn(4, 8)).sum().backward()
    optimizer.step()

    started_at_prior = [round(value, 1) for value in prior] == [-4.6, -4.6, -4.6]
    trained = head.bias.tolist() != prior
    healthy = started_at_prior and trained
    print("OBSERVED", json.dumps({"healthy": healthy, "started_at_prior": started_at_prior,
                                  "trained": trained}))
    sys.exit(0 if healthy else 1)
