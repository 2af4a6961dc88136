"""O1: the loss does not fall. First make the model learn one small batch by heart.

A model that cannot bring the loss of 16 fixed samples near zero has a fault in the loop, the loss
or the model; more data and more epochs will not mend it. The check says nothing about labels,
preprocessing or evaluation: any pairing of inputs and labels can be learned by heart.

Symptom: the head is not in the optimizer, and the check passes all the same
Needs:   torch; cpu; about 3 s
Run:     python trap_part_missing_passes.py; python fixed.py
"""
import json
import sys

import torch
from torch import nn

torch.set_num_threads(1)  # for tensors as small as these
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
