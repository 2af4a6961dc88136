"""A2: the generator's loss uses a forward pass from before the discriminator's step.

on_fake belongs to a graph that needs the old weights of the discriminator. The step has
overwritten them.

Symptom: RuntimeError: one of the variables needed for gradient computation has been modified
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
netG = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
netD = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1))
optimizerG = torch.optim.Adam(netG.parameters(), lr=0.02)
optimizerD = torch.optim.Adam(netD.parameters(), lr=0.01)
criterion = nn.BCEWithLogitsLoss()
ones, zeros = torch.ones(64, 1), torch.zeros(64, 1)


def training_step(real, noise):
    fake = netG(noise)
    on_fake = netD(fake)
    lossD = criterion(netD(real), ones) + criterion(netD(fake.detach()), zeros)
    optimizerD.zero_grad()
    lossD.backward()
    optimizerD.step()
    lossG = criterion(on_fake, ones)  # BUG: on_fake needs the weights from before the step
    optimizerG.zero_grad()
    lossG.backward()
    optimizerG.step()
    return on_fake.mean().item()  # for the log


def distance():
    """From the mean of the fakes to the mean of the data, which is at (3, 3)."""
    with torch.no_grad():
        return (netG(torch.randn(512, 4)).mean(dim=0) - 3).norm().item()


if __name__ == "__main__":
    torch.set_num_threads(1)
    distances = [distance()]
    for _ in range(150):
        training_step(torch.randn(64, 2) + 3, torch.randn(64, 4))
        distances.append(distance())

    healthy = min(distances) < 0.3 * distances[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": len(distances) - 1,
                                  "first_distance": round(distances[0], 2),
                                  "least_distance": round(min(distances), 2)}))
    sys.exit(0 if healthy else 1)
