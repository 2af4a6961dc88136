"""O1: the loss does not fall. First make the model learn one small batch by heart.

A model that cannot bring the loss of 16 fixed samples near zero has a fault in the loop, the loss
or the model; more data and more epochs will not mend it. The check says nothing about labels,
preprocessing or evaluation: any pairing of inputs and labels can be learned by heart.

Symptom: 100 steps on one batch leave the loss exactly where it was
Needs:   torch; cpu; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch import nn

torch.set_num_threads(1)  # for tensors as small as these
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
inputs, labels = torch.randn(16, 8), torch.randint(3, (16,))  # one batch, fixed

if __name__ == "__main__":
    losses = []
    for _ in range(100):
        loss = nn.functional.cross_entropy(model(inputs), labels)
        loss.backward()
        optimizer.zero_grad()  # BUG: throws the gradients away before the step
        optimizer.step()
        losses.append(loss.item())

    healthy = losses[-1] < 0.05 * losses[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "loss_first": round(losses[0], 3),
                                  "loss_last": round(losses[-1], 3),
                                  "distinct_losses": len(set(losses))}))
    sys.exit(0 if healthy else 1)
