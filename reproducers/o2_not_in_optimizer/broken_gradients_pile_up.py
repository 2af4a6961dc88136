"""O2: gradients of parameters outside the optimizer add up from step to step.

optimizer.zero_grad() clears only the tensors that the optimizer holds. The gradients of other
parameters are added up in every step, and gradient clipping counts them.

Symptom: on the same batch the gradient of the forgotten part doubles, triples and so on; clipping
         by the norm of all parameters then shrinks the steps of the rest
Needs:   torch; cpu; about 2 s
Run:     python broken_gradients_pile_up.py; python fixed.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
backbone, head = nn.Linear(16, 16), nn.Linear(16, 1)
model = nn.Sequential(backbone, nn.ReLU(), head)
optimizer = torch.optim.SGD(head.parameters(), lr=0.0)  # BUG: the backbone is not frozen either
# lr=0 keeps the model where it is, so anything that grows below grows without training

if __name__ == "__main__":
    inputs = torch.randn(64, 16)
    forgotten, trained, for_clipping = [], [], []
    for _ in range(4):
        optimizer.zero_grad()  # clears the head only
        model(inputs).pow(2).mean().backward()
        forgotten.append(round(backbone.weight.grad.norm().item(), 3))
        trained.append(round(head.weight.grad.norm().item(), 3))
        total = nn.utils.clip_grad_norm_(model.parameters(), 1e9)  # so high that it clips nothing
        for_clipping.append(round(float(total), 3))
        optimizer.step()

    healthy = forgotten[0] == forgotten[-1]
    print("OBSERVED", json.dumps({"healthy": healthy, "grad_norm_forgotten_by_step": forgotten,
                                  "grad_norm_trained_by_step": trained,
                                  "grad_norm_for_clipping_by_step": for_clipping}))
    sys.exit(0 if healthy else 1)
