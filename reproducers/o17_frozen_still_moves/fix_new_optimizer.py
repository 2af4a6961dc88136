"""O17: a new optimizer over the trainable parameters leaves the backbone alone.

The new optimizer gets the trainable parameters only, so it cannot move the frozen ones. Its
averages start from zero.

Symptom: none: 5 steps after freezing the backbone is the same
Needs:   torch; cpu; about 3 s
Run:     python fix_new_optimizer.py
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


def train(steps):
    for _ in range(steps):
        optimizer.zero_grad(set_to_none=False)  # the default before torch 2.0
        nn.functional.cross_entropy(model(inputs), labels).backward()
        optimizer.step()


if __name__ == "__main__":
    train(3)
    for p in backbone.parameters():
        p.requires_grad_(False)
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad],
                                  lr=0.01)  # FIX: it no longer holds the backbone
    before = backbone.weight.detach().clone()
    train(5)

    moved = round((backbone.weight - before).abs().max().item(), 4)
    healthy = moved == 0
    print("OBSERVED", json.dumps({"healthy": healthy, "frozen_weight_moved_by": moved,
                                  "grad_is_none": backbone.weight.grad is None}))
    sys.exit(0 if healthy else 1)
