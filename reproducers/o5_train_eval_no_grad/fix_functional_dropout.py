"""O5: with training=self.training functional dropout follows the mode.

F.dropout has training=True by default. With training=self.training it follows the mode of the
module.

Symptom: none: three validations give the same loss, and the same batch gives the same output twice
Needs:   torch; cpu; about 2 s
Run:     python fix_functional_dropout.py
"""
import json
import sys

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden, self.norm, self.head = nn.Linear(8, 32), nn.BatchNorm1d(32), nn.Linear(32, 1)

    def forward(self, x):
        x = torch.relu(self.norm(self.hidden(x)))
        x = nn.functional.dropout(x, 0.5, training=self.training)  # FIX: follow the mode
        return self.head(x)


torch.manual_seed(0)
model = Net()
images, targets = torch.randn(256, 8) + 3, torch.randn(256, 1)


def validate(model):
    model.eval()
    with torch.no_grad():
        return nn.functional.mse_loss(model(images), targets).item()


def gives_one_answer(model, images):
    model.eval()
    with torch.no_grad():
        return torch.allclose(model(images), model(images))


if __name__ == "__main__":
    before = model.norm.running_mean.clone()
    losses = [round(validate(model), 4) for _ in range(3)]

    moved = not torch.equal(before, model.norm.running_mean)
    one_answer = gives_one_answer(model, images)
    healthy = len(set(losses)) == 1 and not moved and one_answer
    print("OBSERVED", json.dumps({"healthy": healthy, "validation_loss_by_run": losses,
                                  "running_mean_moved": moved,
                                  "same_batch_twice_agrees": one_answer}))
    sys.exit(0 if healthy else 1)
