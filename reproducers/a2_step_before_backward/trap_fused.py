"""A2: after a fused step backward() raises nothing, and the gradient is silently wrong.

A fused step writes to the weights, but autograd does not count these writes. backward() then
multiplies old activations with new weights.

Symptom: no error, and a gradient that belongs to neither the old nor the new weights
Needs:   torch; cpu; about 2 s
Run:     python trap_fused.py
"""
import json
import sys

import torch
from torch import nn

if tuple(int(part) for part in torch.__version__.split(".")[:2]) < (2, 4):
    print("SKIPPED fused optimizers on the CPU came with torch 2.4")
    sys.exit(77)

torch.manual_seed(0)
netG = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
netD = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1))
optimizerD = torch.optim.Adam(netD.parameters(), lr=0.1, fused=True)  # BUG: steps are not counted
criterion = nn.BCEWithLogitsLoss()
ones, zeros = torch.ones(64, 1), torch.zeros(64, 1)
real, noise = torch.randn(64, 2) + 3, torch.randn(64, 4)


def gradient():
    """With the weights of netD as they are now."""
    return torch.autograd.grad(criterion(netD(netG(noise)), ones), netG[0].weight)[0]


if __name__ == "__main__":
    with_old = gradient()
    fake = netG(noise)
    lossG = criterion(netD(fake), ones)
    lossD = criterion(netD(real), ones) + criterion(netD(fake.detach()), zeros)
    lossD.backward()
    weights, versions = netD[0].weight.clone(), [p._version for p in netD.parameters()]
    optimizerD.step()
    moved = not torch.equal(weights, netD[0].weight)
    counted = sum(p._version > before for p, before in zip(netD.parameters(), versions))
    lossG.backward()
    got = netG[0].weight.grad
    with_new = gradient()

    error_old = ((got - with_old).norm() / with_old.norm()).item()
    error_new = ((got - with_new).norm() / with_new.norm()).item()
    healthy = min(error_old, error_new) < 0.01
    print("OBSERVED", json.dumps({"healthy": healthy, "weights_moved": moved,
                                  "weights_with_a_counted_write": counted,
                                  "relative_error_to_old_and_new": [round(error_old, 2),
                                                                    round(error_new, 2)]}))
    sys.exit(0 if healthy else 1)
