"""O30: if the loss explodes, go back to the last good checkpoint and lower the learning rate.

Weights that are nan cannot be repaired, and a checkpoint that was saved after the explosion is
useless. The loop keeps an earlier copy and returns to it.

Symptom: none: the loss explodes, the loop goes back and ends with a small loss
Needs:   torch; cpu; about 3 s
Run:     python fix_go_back.py
"""
import copy
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
lr = 0.1  # right for a batch of 16
optimizer = torch.optim.SGD(model.parameters(), lr=lr)

if __name__ == "__main__":
    losses = []
    went_back_at = []
    good = copy.deepcopy((model.state_dict(), optimizer.state_dict()))
    for step in range(800):
        rows = torch.randint(4096, (batch_size,))
        loss = nn.functional.mse_loss(model(inputs[rows]), labels[rows])
        if not loss < 10:  # FIX: far above the first loss; also true for nan
            model.load_state_dict(good[0])
            optimizer.load_state_dict(copy.deepcopy(good[1]))  # it keeps these tensors
            lr /= 2
            for group in optimizer.param_groups:
                group["lr"] = lr  # after loading, which brings the old rate back
            went_back_at.append(step)
            continue
        if step % 100 == 0:
            good = copy.deepcopy((model.state_dict(), optimizer.state_dict()))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    healthy = len(went_back_at) > 0 and losses[-1] < 0.1 * losses[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "loss_first": round(losses[0], 3),
                                  "loss_last": round(losses[-1], 3),
                                  "went_back_at": went_back_at,
                                  "lr": optimizer.param_groups[0]["lr"]}))
    sys.exit(0 if healthy else 1)
