"""O17: a backbone that is frozen in the middle of training still moves.

requires_grad=False stops new gradients; it does not stop the step. An optimizer skips a parameter
only if its .grad is None. If .grad is a tensor, even of zeros, then momentum, the averages of Adam
and weight decay still move the weight.

Symptom: the backbone is frozen after 3 steps, and 5 steps later its weight has moved by 0.0311
Needs:   torch; cpu; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch import nn


def freeze(module):
    for p in module.parameters():
        p.requires_grad_(False)  # BUG: its .grad stays a tensor, so the optimizer goes on


def moved_although_frozen(model, train_a_few_steps):
    frozen = {name: p.detach().clone() for name, p in model.named_parameters()
              if not p.requires_grad}
    train_a_few_steps()
    return {name: (p.detach() - frozen[name]).abs().max().item()
            for name, p in model.named_parameters() if name in frozen}


torch.manual_seed(0)
backbone, head = nn.Linear(16, 16), nn.Linear(16, 4)
model = nn.Sequential(backbone, nn.ReLU(), head)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
inputs, labels = torch.randn(64, 16), torch.randint(4, (64,))


def train(steps=5):
    for _ in range(steps):
        optimizer.zero_grad(set_to_none=False)  # the default before torch 2.0
        nn.functional.cross_entropy(model(inputs), labels).backward()
        optimizer.step()


if __name__ == "__main__":
    train(3)
    freeze(backbone)
    head_before = head.weight.detach().clone()
    moved = moved_although_frozen(model, train)

    head_moved = not torch.equal(head.weight, head_before)
    healthy = moved == {"0.weight": 0.0, "0.bias": 0.0} and head_moved
    print("OBSERVED", json.dumps({"healthy": healthy,
                                  "frozen_weight_moved_by": round(moved["0.weight"], 4),
                                  "grad_is_none": backbone.weight.grad is None}))
    sys.exit(0 if healthy else 1)
