"""O30: nan_to_num keeps the loss finite, at 3.4e38, but the model is lost.

It replaces an infinite loss by the largest float32 number and gives it a gradient of zero. So most
steps do nothing, and the weights keep the values that they had after the explosion.

Symptom: after 600 steps the loss is 3.4e38, and most of the last 100 gradients are zero
Needs:   torch; cpu; about 3 s
Run:     python trap_nan_to_num.py
"""
import json
import sys

import torch
from torch import nn

torch.set_num_threads(1)  # the tensors are too small for threads to help
lr = 0.1  # right for 8 GPUs with 2 samples each
batch_size = 2

torch.manual_seed(0)
inputs = torch.randn(4096, 64)
labels = inputs @ torch.randn(64, 1) / 8
model = nn.Linear(64, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=lr)

if __name__ == "__main__":
    losses = []
    zero_gradients = []
    for step in range(600):
        rows = torch.randint(4096, (batch_size,))
        loss = nn.functional.mse_loss(model(inputs[rows]), labels[rows])
        loss = torch.nan_to_num(loss)  # BUG: hides the explosion
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        zero_gradients.append(int(model.weight.grad.abs().max() == 0))

    healthy = losses[-1] < 0.1 * losses[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "loss_first": round(losses[0], 3),
                                  "loss_at_step_100": "{:.1e}".format(losses[100]),
                                  "loss_last": losses[-1],
                                  "zero_gradients_in_the_last_100": sum(zero_gradients[-100:])}))
    sys.exit(0 if healthy else 1)
