"""O5: F.dropout without training=self.training drops in eval mode.

F.dropout is a function, so eval() cannot reach it. Its default is training=True.

Symptom: although model.eval() was called, the loss differs from run to run
Needs:   torch; cpu; about 2 s
Run:     python trap_functional_dropout.py; python fixed.py
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
        x = nn.functional.dropout(x, 0.5)  # BUG: training=True by default, whatever the mode
        return self.head(x)


torch.manual_seed(0)
model = Net()
images, targets = torch.randn(256, 8) + 3, torch.randn(256, 1)


def validate(model):
    model.eval()
    with torch.no_grad():
        return nn.functional.mse_loss(model(images), targets).item()


if __name__ == "__main__":
    before = model.norm.running_mean.clone()
    losses = [round(validate(model), 4) for _ in range(3)]

    moved = not torch.equal(before, model.norm.running_mean)
    healthy = len(set(losses)) == 1 and not moved
    print("OBSERVED", json.dumps({"healthy": healthy, "validation_loss_by_run": losses,
                                  "running_mean_moved": moved}))
    sys.exit(0 if healthy else 1)
