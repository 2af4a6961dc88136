"""O2: a tensor that is listed twice in one group takes two steps at a time.

Two tied modules, put into one list, contain the same weight twice. The optimizer warns and steps it
twice.

Symptom: a tied weight moves by 0.2 instead of 0.1, with a warning and no error
Needs:   torch; cpu; about 2 s
Run:     python broken_same_tensor_twice.py; python fix_unique_parameters.py
"""
import json
import sys

import torch
from torch import nn

embedding, head = nn.Embedding(10, 4), nn.Linear(4, 10, bias=False)
head.weight = embedding.weight  # tied
parameters = list(embedding.parameters()) + list(head.parameters())  # BUG: one tensor, twice
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
