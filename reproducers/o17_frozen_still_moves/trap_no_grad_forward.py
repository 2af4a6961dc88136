"""O17: running the backbone under no_grad() does not freeze it.

Under no_grad() the backbone gets no new gradient. Its last gradient stays a tensor, so the
optimizer still makes a step.

Symptom: its last gradient is still a tensor, and it moves
Needs:   torch; cpu; about 3 s
Run:     python trap_no_grad_forward.py; python fixed.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
backbone, head = nn.Linear(16, 16), nn.Linear(16, 4)
model = nn.Sequential(backbone, nn.ReLU(), head)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
inputs, labels = torch.randn(64, 16), torch.randint(4, (64,))


def train(steps, frozen=False):
    for _ in range(steps):
        optimizer.zero_grad(set_to_none=False)  # the default before torch 2.0
        with torch.set_grad_enabled(not frozen):  # BUG: no new gradient, but the old tensor stays
            features = torch.relu(backbone(inputs))
        nn.functional.cross_entropy(head(features), labels).backward()
        optimizer.step()


if __name__ == "__main__":
    train(3)
    before = backbone.weight.detach().clone()
    train(5, frozen=True)

    moved = round((backbone.weight - before).abs().max().item(), 4)
    healthy = moved == 0
    print("OBSERVED", json.dumps({"healthy": healthy, "frozen_weight_moved_by": moved,
                                  "grad_is_none": backbone.weight.grad is None}))
    sys.exit(0 if healthy else 1)
