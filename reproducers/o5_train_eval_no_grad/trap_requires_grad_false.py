"""O5: requires_grad_(False) does not replace eval().

requires_grad_(False) decides which parameters get gradients. Dropout and BatchNorm look only at the
training mode.

Symptom: the loss still differs from run to run, and the running mean moves
Needs:   torch; cpu; about 2 s
Run:     python trap_requires_grad_false.py; python fixed.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.5),
                      nn.Linear(32, 1))
images, targets = torch.randn(256, 8) + 3, torch.randn(256, 1)


def validate(model):
    model.requires_grad_(False)  # BUG: no gradients for the parameters; the mode is untouched
    return nn.functional.mse_loss(model(images), targets).item()


if __name__ == "__main__":
    before = model[1].running_mean.clone()
    losses = [round(validate(model), 4) for _ in range(3)]

    moved = not torch.equal(before, model[1].running_mean)
    healthy = len(set(losses)) == 1 and not moved
    print("OBSERVED", json.dumps({"healthy": healthy, "validation_loss_by_run": losses,
                                  "running_mean_moved": moved}))
    sys.exit(0 if healthy else 1)
