"""O35: places without a label are nan, and they are left out before the loss.

prediction[valid] and target[valid] hold only the labelled places, so no nan takes part.

Symptom: none: the loss and all gradients are finite
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
    loss = (prediction[valid] - target[valid]).pow(2).mean()  # FIX: select
    loss.backward()

    finite = [bool(torch.isfinite(value).all()) for value in (loss, model.weight.grad)]
    healthy = finite == [True, True] and model.weight.grad.abs().sum().item() > 0
    print("OBSERVED", json.dumps({"healthy": healthy, "finite_loss_and_gradient": finite}))
    sys.exit(0 if healthy else 1)
