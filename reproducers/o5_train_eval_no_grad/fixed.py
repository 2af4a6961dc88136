"""O5: with eval() and no_grad() validation gives one number and changes nothing.

eval() switches dropout off and makes BatchNorm use its running statistics. no_grad() records no
graph. Afterwards the function restores the mode from before.

Symptom: none: three validations give the same loss; the model is in training mode again afterwards
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch import nn


def validate(model, criterion, loader):
    was_training = model.training
    model.eval()  # FIX: dropout off, BatchNorm uses its running statistics
    with torch.no_grad():
        losses = [criterion(model(images), targets).item() for images, targets in loader]
    model.train(was_training)  # FIX: back to the mode from before
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
