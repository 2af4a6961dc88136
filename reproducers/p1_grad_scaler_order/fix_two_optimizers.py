"""P1: scaler.step() of the discriminator runs only in the steps that trained it.

Each optimizer that the scaler steps has a gradient then. update() is called once, at the end.

Symptom: none: 3 steps of the discriminator in 6 of the generator
Needs:   torch; cpu; about 4 s
Run:     python fix_two_optimizers.py; python broken_two_optimizers.py
"""
import json
import sys

import torch
from torch import nn
try:
    from torch.amp import GradScaler
except ImportError:
    print("SKIPPED a GradScaler for the CPU needs torch 2.3")
    sys.exit(77)

torch.manual_seed(0)
generator, discriminator = nn.Linear(4, 2), nn.Linear(2, 1)
g_optimizer = torch.optim.SGD(generator.parameters(), lr=0.1)
d_optimizer = torch.optim.SGD(discriminator.parameters(), lr=0.1)
scaler = GradScaler("cpu")

if __name__ == "__main__":
    d_steps = 0
    for index in range(6):
        g_optimizer.zero_grad()
        d_optimizer.zero_grad()
        fake = generator(torch.randn(8, 4))
        if index % 2 == 0:
            scaler.scale(discriminator(fake.detach()).pow(2).mean()).backward()
            scaler.step(d_optimizer)  # FIX: only with a gradient
            d_steps += 1
        discriminator.requires_grad_(False)
        scaler.scale((discriminator(fake) - 1).pow(2).mean()).backward()
        discriminator.requires_grad_(True)
        scaler.step(g_optimizer)
        scaler.update()

    healthy = d_steps == 3
    print("OBSERVED", json.dumps({"healthy": healthy, "d_steps": d_steps}))
    sys.exit(0 if healthy else 1)
