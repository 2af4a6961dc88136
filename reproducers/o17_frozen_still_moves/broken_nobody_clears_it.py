"""O17: a loop that clears only the head applies the backbone's last gradient again.

head.zero_grad() clears only the head. The backbone keeps its last gradient, and every step applies
it again.

Symptom: the frozen backbone moves in every step, on torch 2.x as well
Needs:   torch; cpu; about 3 s
Run:     python broken_nobody_clears_it.py; python fixed.py
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
        head.zero_grad()  # BUG: the last gradient of the backbone stays, and is applied again
        nn.functional.cross_entropy(model(inputs), labels).backward()
        optimizer.step()


if __name__ == "__main__":
    train(3)  # the same loop; the backbone still has a gradient when it is frozen
    for p in backbone.parameters():
        p.requires_grad_(False)
    before = backbone.weight.detach().clone()
    train(5)

    moved = round((backbone.weight - before).abs().max().item(), 4)
    healthy = moved == 0
    print("OBSERVED", json.dumps({"healthy": healthy, "frozen_weight_moved_by": moved,
                                  "grad_is_none": backbone.weight.grad is None}))
    sys.exit(0 if healthy else 1)
