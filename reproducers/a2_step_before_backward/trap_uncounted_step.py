"""A2: after a step that autograd does not count, the gradient is silently wrong.

Optimizers up to torch 1.4 wrote through .data, which is not counted. backward() then multiplies
old activations with new weights.

Symptom: no error, and a gradient that belongs to neither the old nor the new weights
Needs:   torch; cpu; about 2 s
Run:     python trap_uncounted_step.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
netG = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
netD = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1))
criterion = nn.BCEWithLogitsLoss()
ones, noise = torch.ones(64, 1), torch.randn(64, 4)


def gradient():
    """With the weights of netD as they are now."""
    return torch.autograd.grad(criterion(netD(netG(noise)), ones), netG[0].weight)[0]


if __name__ == "__main__":
    with_old = gradient()
    lossG = criterion(netD(netG(noise)), ones)
    for parameter in netD.parameters():
        parameter.data -= 0.1 * torch.randn_like(parameter)  # BUG: a step that is not counted
    lossG.backward()
    got = netG[0].weight.grad
    with_new = gradient()

    error_old = ((got - with_old).norm() / with_old.norm()).item()
    error_new = ((got - with_new).norm() / with_new.norm()).item()
    healthy = min(error_old, error_new) < 0.01
    print("OBSERVED", json.dumps({"healthy": healthy,
                                  "relative_error_to_old_and_new": [round(error_old, 2),
                                                                    round(error_new, 2)]}))
    sys.exit(0 if healthy else 1)
