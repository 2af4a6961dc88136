"""O2: parameters() of a common parent lists a tied tensor once.

parameters() of a module that contains both tied modules lists the weight once.

Symptom: none: a tied weight moves by 0.1, one step at a time
Needs:   torch; cpu; about 2 s
Run:     python fix_unique_parameters.py
"""
import json
import sys

import torch
from torch import nn

embedding, head = nn.Embedding(10, 4), nn.Linear(4, 10, bias=False)
head.weight = embedding.weight  # tied
parameters = list(nn.ModuleList([embedding, head]).parameters())  # FIX: each tensor once
optimizer = torch.optim.SGD(parameters, lr=0.1)

if __name__ == "__main__":
    before = embedding.weight.detach().clone()
    embedding.weight.grad = torch.ones_like(embedding.weight)
    optimizer.step()

    step = round((before - embedding.weight).max().item(), 3)
    healthy = step == 0.1  # learning rate 0.1, gradient 1
    print("OBSERVED", json.dumps({"healthy": healthy, "step": step,
                                  "tensors_in_optimizer": len(parameters)}))
    sys.exit(0 if healthy else 1)
