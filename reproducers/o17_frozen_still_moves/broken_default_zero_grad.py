"""O17: a frozen backbone still moves with a plain zero_grad() before torch 2.0.

Before torch 2.0 zero_grad() sets gradients to zero, and the optimizer steps a parameter whose
gradient is zero. From 2.0 on it sets them to None, and the optimizer skips the parameter.

Symptom: it moves before torch 2.0, and stands still from 2.0 on
Needs:   torch; cpu; about 3 s
Run:     python broken_default_zero_grad.py; python fixed.py
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
        optimizer.zero_grad()  # BUG: leaves zeros before torch 2.0, None from 2.0 on
        nn.functional.cross_entropy(model(inputs), labels).backward()
        optimizer.step()


if __name__ == "__main__":
    train(3)
    for p in backbone.parameters():
        p.requires_grad_(False)
    before = backbone.weight.detach().clone()
    train(5)

    moved = round((backbone.weight - before).abs().max().item(), 4)
    healthy = moved == 0
    print("OBSERVED", json.dumps({"healthy": healthy, "frozen_weight_moved_by": moved,
                                  "grad_is_none": backbone.weight.grad is None}))
    sys.exit(0 if healthy else 1)
