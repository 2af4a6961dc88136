"""O35: multiplying by a mask does not remove nan.

0 times nan is nan, so the masked place still makes the sum nan.

Symptom: the loss and all gradients are nan
Needs:   torch; cpu; about 2 s
Run:     python trap_multiply_by_mask.py; python fix_mask_target.py
"""
import json
import sys

import torch
from torch import nn


if __name__ == "__main__":
    torch.manual_seed(0)
    model = nn.Linear(4, 1)
    inputs, target = torch.rand(6, 4), torch.rand(6, 1)
    target[2] = float("nan")  # not measured
    prediction = model(inputs)
    valid = torch.isfinite(target)
    error = (prediction - target).pow(2) * valid  # BUG: 0 * nan is nan
    loss = error.sum() / valid.sum()
    loss.backward()

    finite = [bool(torch.isfinite(value).all()) for value in (loss, model.weight.grad)]
    healthy = finite == [True, True] and model.weight.grad.abs().sum().item() > 0
    print("OBSERVED", json.dumps({"healthy": healthy, "finite_loss_and_gradient": finite}))
    sys.exit(0 if healthy else 1)
