"""S11: a loss that refuses shapes that differ.

The wrapper compares the shapes before it computes the loss, so nothing can broadcast.

Symptom: none: (32, 1) against (32,) is refused, equal shapes have their loss
Needs:   torch; cpu; about 2 s
Run:     python fix_check_shapes.py
"""
import json
import sys

import torch

inputs = torch.linspace(-1, 1, 32).reshape(-1, 1)
targets = 3 * inputs[:, 0]


def mse(prediction, target):
    if prediction.shape != target.shape:  # FIX: raises before anything broadcasts
        raise ValueError(f"prediction {tuple(prediction.shape)}, target {tuple(target.shape)}")
    return torch.nn.functional.mse_loss(prediction, target)


if __name__ == "__main__":
    model = torch.nn.Linear(1, 1)
    refused = ""
    try:
        mse(model(inputs), targets)
    except ValueError as error:
        refused = str(error)
    loss = mse(model(inputs), 3 * inputs)

    healthy = refused == "prediction (32, 1), target (32,)" and loss.item() > 0
    print("OBSERVED", json.dumps({"healthy": healthy, "refused": refused}))
    sys.exit(0 if healthy else 1)
