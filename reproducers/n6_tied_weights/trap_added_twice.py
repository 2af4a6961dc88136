"""N6: a tied weight passed to the optimizer twice is stepped twice.

The parameters of two tied modules, put into one list, contain the same weight twice. The optimizer
only warns, and steps it twice.

Symptom: one step moves the weight by 0.2 instead of 0.1
Needs:   torch; cpu; about 2 s
Run:     python trap_added_twice.py
"""
import json
import sys

import torch
from torch import nn

lr = 0.1

if __name__ == "__main__":
    embed, lm_head = nn.Embedding(10, 4), nn.Linear(4, 10, bias=False)
    lm_head.weight = embed.weight
    before = embed.weight.detach().clone()
    parameters = list(embed.parameters()) + list(lm_head.parameters())  # BUG: one weight, twice
    optimizer = torch.optim.SGD(parameters, lr=lr)
    embed.weight.grad = torch.ones(10, 4)
    optimizer.step()

    moved = round((before - embed.weight.detach()).max().item(), 4)
    healthy = moved == lr
    print("OBSERVED", json.dumps({"healthy": healthy, "moved_by_one_step": moved,
                                  "lr_times_gradient": lr}))
    sys.exit(0 if healthy else 1)
