"""O17: plain Adam without weight decay moves a frozen backbone as far as AdamW.

Adam's averages still hold past gradients. With a gradient of zero they move the weight, even
without any weight decay.

Symptom: 5 steps after freezing the weight has moved by 0.031
Needs:   torch; cpu; about 3 s
Run:     python trap_no_weight_decay.py; python fixed.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
backbone, head = nn.Linear(16, 16), nn.Linear(16, 4)
model = nn.Sequential(backbone, nn.ReLU(), head)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=0)
inputs, labels = torch.randn(64, 16), torch.randint(4, (64,))


def train(steps):
    for _ in range(steps):
        optimizer.zero_grad(set_to_none=False)  # the default before torch 2.0
        nn.functional.cross_entropy(model(inputs), labels).backward()
        optimizer.step()


if __name__ == "__main__":
    train(3)
    for p in backbone.parameters():
        p.requires_grad_(False)  # BUG: the averages of Adam go on without any weight decay
    before = backbone.weight.detach().clone()
    train(5)

    moved = round((backbone.weight - before).abs().max().item(), 4)
    healthy = moved == 0
    print("OBSERVED", json.dumps({"healthy": healthy, "frozen_weight_moved_by": moved,
                                  "grad_is_none": backbone.weight.grad is None}))
    sys.exit(0 if healthy else 1)
