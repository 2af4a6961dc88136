"""E6: a module of layers is trained by a loop of its own.

A torch.nn.Module has no fit(), so a function does the steps.

Symptom: none
Needs:   torch; cpu; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)


class Regressor(nn.Module):
    """The layers of a model."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))

    def forward(self, x):
        return self.layers(x)[:, 0]


def fit(model, x, y, steps=200):
    """Train the model on all samples at once."""
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(steps):
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()


if __name__ == "__main__":
    x = torch.randn(64, 3)
    y = x.sum(1)
    model = Regressor()
    before = nn.functional.mse_loss(model(x), y).item()
    fit(model, x, y)  # FIX: the loop that a Module does not have
    after = nn.functional.mse_loss(model(x), y).item()
    losses = [round(before, 3), round(after, 3)]
    healthy = after < before / 2
    print("OBSERVED", json.dumps({"healthy": healthy, "loss_before_and_after": losses}))
    sys.exit(0 if healthy else 1)
