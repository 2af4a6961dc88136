"""A2: each backward() fills the gradients of one network, and both steps come last.

backward(inputs=...) adds gradients to these parameters alone, so one forward pass serves both
networks. No weight changes before both gradients are computed.

Symptom: none: the fakes move to the data
Needs:   torch; cpu; about 2 s
Run:     python fix_inputs.py
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
    on_real, on_fake = netD(real), netD(netG(noise))
    lossD = criterion(on_real, ones) + criterion(on_fake, zeros)
    lossG = criterion(on_fake, ones)
    optimizerD.zero_grad()
    optimizerG.zero_grad()
    lossD.backward(inputs=list(netD.parameters()), retain_graph=True)  # FIX: for netD alone
    lossG.backward(inputs=list(netG.parameters()))  # FIX: for netG alone
    optimizerD.step()
    optimizerG.step()


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
