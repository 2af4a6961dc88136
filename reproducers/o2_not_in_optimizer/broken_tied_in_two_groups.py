"""O2: a tensor in two parameter groups is refused.

The same tensor in two parameter groups could get two different learning rates. The optimizer
refuses it.

Symptom: ValueError: some parameters appear in more than one parameter group
Needs:   torch; cpu; about 2 s
Run:     python broken_tied_in_two_groups.py; python fix_unique_parameters.py
"""
import json
import sys

import torch
from torch import nn

embedding, head = nn.Embedding(10, 4), nn.Linear(4, 10, bias=False)
head.weight = embedding.weight  # tied
parameters = [{"params": embedding.parameters()}, {"params": head.parameters(), "lr": 0.01}]
optimizer = torch.optim.SGD(parameters, lr=0.1)  # BUG: one tensor in two groups

if __name__ == "__main__":
    before = embedding.weight.detach().clone()
    embedding.weight.grad = torch.ones_like(embedding.weight)
    optimizer.step()

    step = round((before - embedding.weight).max().item(), 3)
    healthy = step == 0.1  # learning rate 0.1, gradient 1
    print("OBSERVED", json.dumps({"healthy": healthy, "step": step,
                                  "tensors_in_optimizer": len(parameters)}))
    sys.exit(0 if healthy else 1)
