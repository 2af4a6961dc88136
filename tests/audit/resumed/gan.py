"""Two models with an optimizer each, which train each other."""

import os
import sys

import torch
from torch import nn

torch.manual_seed(0)
generator = nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 2))
critic = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(), nn.Linear(16, 1))
optimizers = [
    torch.optim.Adam(model.parameters(), lr=0.002, betas=(0.5, 0.9)) for model in (critic, generator)
]
parts = [generator, critic, *optimizers]
entropy = nn.BCEWithLogitsLoss()
start = 0
if "--resume" in sys.argv:
    saved = torch.load("last.pt")
    for part, state in zip(parts, saved["parts"]):
        part.load_state_dict(state)
    torch.set_rng_state(saved["random"])
    start = saved["number"]
for number in range(start, 40):
    real, fake = torch.randn(32, 2) + 3, generator(torch.randn(32, 4))
    judged = critic(torch.cat([real, fake.detach()]))
    optimizers[0].zero_grad()
    entropy(judged, torch.cat([torch.ones(32, 1), torch.zeros(32, 1)])).backward()
    optimizers[0].step()
    optimizers[1].zero_grad()
    entropy(critic(fake), torch.ones(32, 1)).backward()
    optimizers[1].step()
    if number % 10 == 9:
        torch.save(
            {
                "parts": [part.state_dict() for part in parts],
                "number": number + 1,
                "random": torch.get_rng_state(),
            },
            "last.pt",
        )
    if "--stop" in sys.argv and number == 24:
        os._exit(0)
