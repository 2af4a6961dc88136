"""A2: moving both steps to the end mixes the two gradients.

Nothing is raised. Each backward() adds to the gradients of both networks, so the discriminator
also learns to help the generator.

Symptom: no error, and a wrong gradient for the discriminator
Needs:   torch; cpu; about 2 s
Run:     python trap_steps_last.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
netG = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
netD = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1))
criterion = nn.BCEWithLogitsLoss()
ones, zeros = torch.ones(64, 1), torch.zeros(64, 1)
real, noise = torch.randn(64, 2) + 3, torch.randn(64, 4)


def losses():
    on_real, on_fake = netD(real), netD(netG(noise))
    return criterion(on_real, ones) + criterion(on_fake, zeros), criterion(on_fake, ones)


if __name__ == "__main__":
    lossD, lossG = losses()
    lossD.backward(retain_graph=True)
    lossG.backward()  # BUG: adds to the gradients of netD, and lossD has added to those of netG
    got = netD[0].weight.grad
    expected = torch.autograd.grad(losses()[0], netD[0].weight)[0]

    relative_error = ((got - expected).norm() / expected.norm()).item()
    healthy = relative_error < 0.01
    print("OBSERVED", json.dumps({"healthy": healthy,
                                  "relative_error": round(relative_error, 2)}))
    sys.exit(0 if healthy else 1)
