"""N6: tied weights come untied when one of the two is replaced.

Tied means that two modules hold one and the same Parameter object. Replacing the object in one
of them, to resize a vocabulary for example, leaves the other with the old one: from then on
there are two tensors that train apart. Nothing in nn.Module knows that they were meant to be
one.

Symptom: a tied weight given to the optimizer under both modules is stepped twice: 0.2 in place
         of 0.1
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
