"""O30: with a learning rate of 1e-16 nothing explodes, because nothing moves.

A float32 weight has 7 digits. An update that is 1e-16 of its size is rounded away.

Symptom: after 400 steps no weight has changed
Needs:   torch; cpu; about 3 s
Run:     python trap_tiny_lr.py
"""
import json
import sys

import torch
from torch import nn

torch.set_num_threads(1)  # the tensors are too small for threads to help
batch_size = 2

torch.manual_seed(0)
inputs = torch.randn(4096, 64)
labels = inputs @ torch.randn(64, 1) / 8
model = nn.Linear(64, 1)
lr = 1e-16  # BUG: the updates are lost in rounding
optimizer = torch.optim.SGD(model.parameters(), lr=lr)

if __name__ == "__main__":
    before = model.weight.detach().clone()
    losses = []
    for step in range(400):
        rows = torch.randint(4096, (batch_size,))
        loss = nn.functional.mse_loss(model(inputs[rows]), labels[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    moved = int((model.weight != before).sum())
    first, last = sum(losses[:100]) / 100, sum(losses[-100:]) / 100
    healthy = moved > 0 and last < 0.1 * first
    print("OBSERVED", json.dumps({"healthy": healthy, "loss_of_first_100": round(first, 3),
                                  "loss_of_last_100": round(last, 3),
                                  "weights_moved": moved}))
    sys.exit(0 if healthy else 1)
