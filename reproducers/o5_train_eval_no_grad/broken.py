"""O5: no_grad() without eval() leaves dropout and BatchNorm in training mode.

model.train() and model.eval() choose what dropout and BatchNorm do. torch.no_grad() chooses whether
a graph is recorded. requires_grad_(False) chooses which parameters receive gradients. Each of them
leaves the others as they were: validation needs the first two, and training needs train() again.

Symptom: the validation loss of the same model on the same data differs from run to run, and
         each validation changes the BatchNorm statistics
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch import nn


def validate(model, criterion, loader):
    with torch.no_grad():  # BUG: no graph, but dropout and BatchNorm are still in training mode
        losses = [criterion(model(images), targets).item() for images, targets in loader]
    return sum(losses) / len(losses)


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.5),
                      nn.Linear(32, 1))
criterion = nn.MSELoss()
loader = [(torch.randn(256, 8) + 3, torch.randn(256, 1))]  # one batch of images and targets

if __name__ == "__main__":
    before = model[1].running_mean.clone()
    losses = [round(validate(model, criterion, loader), 4) for _ in range(3)]

    moved = not torch.equal(before, model[1].running_mean)
    healthy = len(set(losses)) == 1 and not moved and model.training
    print("OBSERVED", json.dumps({"healthy": healthy, "validation_loss_by_run": losses,
                                  "running_mean_moved": moved,
                                  "training_mode_afterwards": model.training}))
    sys.exit(0 if healthy else 1)
