"""O1: the loss does not fall. First make the model learn one small batch by heart.

A model that cannot bring the loss of 16 fixed samples near zero has a fault in the loop, the loss
or the model; more data and more epochs will not mend it. The check says nothing about labels,
preprocessing or evaluation: any pairing of inputs and labels can be learned by heart.

Symptom: dropout keeps the loss of a healthy program up
Needs:   torch; cpu; about 3 s
Run:     python trap_dropout_on.py; python fixed.py
"""
import json
import sys

import torch
from torch import nn

torch.set_num_threads(1)  # for tensors as small as these
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Dropout(0.7),
                      nn.Linear(64, 3))  # BUG: left on for the check; so would augmentation be
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
inputs, labels = torch.randn(16, 8), torch.randint(3, (16,))  # one batch, fixed

if __name__ == "__main__":
    losses = []
    for _ in range(100):
        loss = nn.functional.cross_entropy(model(inputs), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    model.eval()
    in_eval_mode = nn.functional.cross_entropy(model(inputs), labels).item()
    last = sum(losses[-20:]) / 20
    healthy = last < 0.05 * losses[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "loss_first": round(losses[0], 3),
                                  "loss_of_last_20": round(last, 3),
                                  "in_eval_mode": round(in_eval_mode, 3)}))
    sys.exit(0 if healthy else 1)
