"""O30: clipping after optimizer.step() has no effect.

The step has already used the gradients, and zero_grad() discards the clipped ones.

Symptom: the loss grows over many steps until it is nan
Needs:   torch; cpu; about 3 s
Run:     python trap_clip_after_step.py
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
    for step in range(400):
        rows = torch.randint(4096, (batch_size,))
        loss = nn.functional.mse_loss(model(inputs[rows]), labels[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.1)  # BUG: after the step
        losses.append(loss.item())

    healthy = losses[-1] < 0.1 * losses[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "loss_first": round(losses[0], 3),
                                  "loss_at_step_100": "{:.1e}".format(losses[100]),
                                  "loss_last": "{:.1e}".format(losses[-1])}))
    sys.exit(0 if healthy else 1)
