"""P4: loss.float() before backward() leaves the float64 target where it was.

The conversion comes after binary_cross_entropy(). Its own backward pass still gets a float32
prediction and a float64 target.

Symptom: RuntimeError: Found dtype Double but expected Float
Needs:   torch; cpu; about 2 s
Run:     python trap_loss_float.py; python fixed.py
"""
import json
import sys

import torch
from torch import nn


if __name__ == "__main__":
    model = nn.Linear(2, 1)
    x, y = torch.ones(4, 2), torch.ones(4, 1, dtype=torch.float64)
    probability = torch.sigmoid(model(x))
    loss = nn.functional.binary_cross_entropy(probability, y).float()  # BUG: convert y
    loss.backward()

    healthy = model.weight.grad.dtype == torch.float32 and model.bias.grad.abs().item() > 0
    print("OBSERVED", json.dumps({"healthy": healthy, "bias_grad": model.bias.grad.item()}))
    sys.exit(0 if healthy else 1)
