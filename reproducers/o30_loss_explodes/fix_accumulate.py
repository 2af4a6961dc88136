"""O30: with 8 micro-batches per step the learning rate of the recipe works.

Each step uses the mean gradient of 8 micro-batches of 2 samples, which is the gradient of 16
samples. The learning rate stays that of the recipe.

Symptom: none: the loss falls to nearly zero
Needs:   torch; cpu; about 3 s
Run:     python fix_accumulate.py
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
accumulate = recipe_batch // (batch_size * world_size)  # FIX: 8 micro-batches per step
lr = recipe_lr
optimizer = torch.optim.SGD(model.parameters(), lr=lr)

if __name__ == "__main__":
    losses = []
    for step in range(400):
        optimizer.zero_grad()
        for _ in range(accumulate):
            rows = torch.randint(4096, (batch_size,))
            loss = nn.functional.mse_loss(model(inputs[rows]), labels[rows])
            (loss / accumulate).backward()
        optimizer.step()
        losses.append(loss.item())

    healthy = losses[-1] < 0.1 * losses[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "loss_first": round(losses[0], 3),
                                  "loss_at_step_100": "{:.1e}".format(losses[100]),
                                  "loss_last": "{:.1e}".format(losses[-1])}))
    sys.exit(0 if healthy else 1)
