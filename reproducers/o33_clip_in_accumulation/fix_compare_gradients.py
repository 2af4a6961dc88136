"""O33: a check that compares the gradient of micro-batches with that of the full batch.

In eval mode both must be the same for a loss that is a mean over samples. For a loss that is a
sum the division is wrong, and the check shows that.

Symptom: none: the check finds no error for a mean, and a large one for a sum
Needs:   torch; cpu; about 2 s
Run:     python fix_compare_gradients.py
"""
import json
import sys

import torch
from torch import nn


def gradient(model):
    return torch.cat([p.grad.flatten() for p in model.parameters() if p.grad is not None])


def accumulation_error(model, criterion, x, y, parts=4):
    """How far the gradient of `parts` micro-batches is from that of the full batch."""
    model.eval()  # no dropout, and BatchNorm does not depend on the batch
    model.zero_grad()
    criterion(model(x), y).backward()
    full = gradient(model).clone()
    model.zero_grad()
    for x_part, y_part in zip(x.chunk(parts), y.chunk(parts)):
        (criterion(model(x_part), y_part) / parts).backward()
    return ((gradient(model) - full).norm() / full.norm()).item()


if __name__ == "__main__":
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 16), nn.Dropout(0.5), nn.Tanh(), nn.Linear(16, 1))
    x, y = torch.randn(64, 8), torch.randn(64, 1)
    of_mean = accumulation_error(model, nn.MSELoss(), x, y)
    of_sum = accumulation_error(model, nn.MSELoss(reduction="sum"), x, y)

    healthy = of_mean < 0.001 and of_sum > 0.5  # FIX: finds that a sum must not be divided
    print("OBSERVED", json.dumps({"healthy": healthy, "error_of_mean": round(of_mean, 4),
                                  "error_of_sum": round(of_sum, 4)}))
    sys.exit(0 if healthy else 1)
