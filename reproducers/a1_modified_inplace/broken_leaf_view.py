"""A1: writing to a part of a parameter fails while autograd records.

A parameter is a leaf: a tensor that no operation has made. Autograd would lose it if it were
overwritten, so it refuses the write, also through a view.

Symptom: RuntimeError: a view of a leaf Variable that requires grad is being used in [...]
Needs:   torch; cpu; about 2 s
Run:     python broken_leaf_view.py
"""
import json
import sys

import torch
from torch import nn

head = nn.Linear(8, 3)
head.bias.view(3, 1)[:, 0] = -4.6  # BUG: autograd records this write

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
