"""O5: train(), eval() and no_grad() are three different switches.

model.train() and model.eval() choose what dropout and BatchNorm do. torch.no_grad() chooses whether
a graph is recorded. requires_grad_(False) chooses which parameters receive gradients. Each leaves
the others as they were, so validation needs two of them, and training needs the first one back.

Symptom: the validation loss of one and the same model on the same data differs from run to run,
         and looking at it changes the model
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
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
    was_training = model.training
    model.eval()  # FIX: dropout off, BatchNorm on its running statistics
    with torch.no_grad():
        loss = nn.functional.mse_loss(model(images), targets).item()
    model.train(was_training)  # FIX: leave the model as it was found
    return loss


if __name__ == "__main__":
    before = model[1].running_mean.clone()
    losses = [round(validate(model), 4) for _ in range(3)]

    moved = not torch.equal(before, model[1].running_mean)
    healthy = len(set(losses)) == 1 and not moved and model.training
    print("OBSERVED", json.dumps({"healthy": healthy, "validation_loss_by_run": losses,
                                  "running_mean_moved": moved,
                                  "training_mode_afterwards": model.training}))
    sys.exit(0 if healthy else 1)
