"""O1: a model whose head is missing from the optimizer passes the check.

The first layer alone can memorise 16 samples. The check passes, although the head never moves;
compare the parameters as well.

Symptom: the loss of one batch falls to nearly zero, and the head has not moved
Needs:   torch; cpu; about 3 s
Run:     python trap_part_missing_passes.py; python fixed.py
"""
import json
import sys

import torch
from torch import nn

torch.set_num_threads(1)  # the tensors are too small for threads to help
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 3))
optimizer = torch.optim.Adam(model[0].parameters(), lr=0.1)  # BUG: the first layer only
inputs, labels = torch.randn(16, 8), torch.randint(3, (16,))  # one batch, fixed

if __name__ == "__main__":
    before = model[2].weight.detach().clone()
    losses = []
    for _ in range(100):
        loss = nn.functional.cross_entropy(model(inputs), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    passed = losses[-1] < 0.05 * losses[0]
    head_moved = not torch.equal(before, model[2].weight)
    healthy = passed and head_moved
    print("OBSERVED", json.dumps({"healthy": healthy, "loss_first": round(losses[0], 3),
                                  "loss_last": round(losses[-1], 3),
                                  "check_passed": passed, "head_moved": head_moved}))
    sys.exit(0 if healthy else 1)
