"""E6: a module of layers is trained with fit(), which it does not have.

Estimators of scikit-learn and of some libraries of models have fit(). A torch.nn.Module has only
layers and forward().

Symptom: AttributeError: 'Regressor' object has no attribute 'fit'
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


if __name__ == "__main__":
    x = torch.randn(64, 3)
    y = x.sum(1)
    model = Regressor()
    before = nn.functional.mse_loss(model(x), y).item()
    model.fit(x, y)  # BUG: a Module has no fit()
    after = nn.functional.mse_loss(model(x), y).item()
    losses = [round(before, 3), round(after, 3)]
    healthy = after < before / 2
    print("OBSERVED", json.dumps({"healthy": healthy, "loss_before_and_after": losses}))
    sys.exit(0 if healthy else 1)
