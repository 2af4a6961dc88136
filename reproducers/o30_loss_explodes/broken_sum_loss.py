"""O30: a summed loss multiplies the gradient by the size of the batch.

The learning rate is right for the mean over 16 samples. With reduction="sum" the gradient is 16
times as large.

Symptom: the loss grows until it is nan
Needs:   torch; cpu; about 3 s
Run:     python broken_sum_loss.py
"""
import json
import sys

import torch
from torch import nn

torch.set_num_threads(1)  # the tensors are too small for threads to help
lr = 0.1  # right for the mean over 16 samples
batch_size = 16

torch.manual_seed(0)
inputs = torch.randn(4096, 64)
labels = inputs @ torch.randn(64, 1) / 8
model = nn.Linear(64, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=lr)

if __name__ == "__main__":
    losses = []
    for step in range(400):
        rows = torch.randint(4096, (batch_size,))
        loss = nn.functional.mse_loss(
            model(inputs[rows]), labels[rows], reduction="sum")  # BUG: 16 times the gradient
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    healthy = losses[-1] < 0.1 * losses[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "loss_first": round(losses[0], 3),
                                  "loss_at_step_10": "{:.1e}".format(losses[10]),
                                  "loss_last": "{:.1e}".format(losses[-1])}))
    sys.exit(0 if healthy else 1)
