"""O30: the learning rate of 8 GPUs on one GPU makes the loss grow until it is nan.

The recipe was written for 8 GPUs with 2 samples each: 16 samples per step and a learning rate of
0.1. With 2 samples per step the gradient is noisier, and the same steps no longer converge.

Symptom: the loss grows over many steps, from 0.6 to more than 1e20, and then becomes nan
Needs:   torch; cpu; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch import nn

torch.set_num_threads(1)  # the tensors are too small for threads to help
recipe_lr, recipe_batch = 0.1, 16  # 8 GPUs with 2 samples each
batch_size, world_size = 2, 1

torch.manual_seed(0)
inputs = torch.randn(4096, 64)
labels = inputs @ torch.randn(64, 1) / 8
model = nn.Linear(64, 1)
lr = recipe_lr  # BUG: the total batch is 8 times smaller than that of the recipe
optimizer = torch.optim.SGD(model.parameters(), lr=lr)

if __name__ == "__main__":
    losses = []
    for step in range(400):
        rows = torch.randint(4096, (batch_size,))
        loss = nn.functional.mse_loss(model(inputs[rows]), labels[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    healthy = losses[-1] < 0.1 * losses[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "loss_first": round(losses[0], 3),
                                  "loss_at_step_100": "{:.1e}".format(losses[100]),
                                  "loss_last": "{:.1e}".format(losses[-1])}))
    sys.exit(0 if healthy else 1)
