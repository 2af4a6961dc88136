"""O40: the range is wrong, and the discriminator learns 50 times more slowly.

It needs longer to find the range, and then finds it.

Symptom: no error: fewer than 4 kinds of images
Needs:   torch; cpu; about 6 s
Run:     python trap_slower_discriminator.py
"""
import json
import sys

import torch
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits as bce

torch.set_num_threads(1)
mean, std = 0.45, 0.225  # BUG: as for ImageNet, so real pixels reach from -2 to 2.4
kinds = torch.tensor([[0.2, 0.2], [0.2, 0.8], [0.8, 0.2], [0.8, 0.8]])  # images of two pixels


def load_images(count):
    pixels = kinds[torch.randint(len(kinds), (count,))] + 0.05 * torch.randn(count, 2)
    return (pixels - mean) / std


if __name__ == "__main__":
    torch.manual_seed(0)
    generator = nn.Sequential(nn.Linear(8, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(),
                              nn.Linear(48, 2), nn.Tanh())
    discriminator = nn.Sequential(nn.Linear(2, 48), nn.LeakyReLU(0.2), nn.Linear(48, 48),
                                  nn.LeakyReLU(0.2), nn.Linear(48, 1))
    optimizer_g = torch.optim.Adam(generator.parameters(), lr=0.002, betas=(0.5, 0.999))
    optimizer_d = torch.optim.Adam(discriminator.parameters(), lr=0.0001, betas=(0.5, 0.999))
    real, fake = torch.ones(64, 1), torch.zeros(64, 1)
    losses = []
    for step in range(1000):
        optimizer_d.zero_grad()
        images = generator(torch.randn(64, 8))
        photos = load_images(64)
        loss_d = bce(discriminator(photos), real)
        loss_d = loss_d + bce(discriminator(images.detach()), fake)
        loss_d.backward()
        optimizer_d.step()
        optimizer_g.zero_grad()
        bce(discriminator(images), real).backward()
        optimizer_g.step()
        losses.append(loss_d.item())

    images = generator(torch.randn(1000, 8)).detach() * std + mean
    distance, kind = torch.cdist(images, kinds).min(1)
    found = sum(int(((kind == k) & (distance < 0.15)).sum()) >= 20 for k in range(len(kinds)))
    healthy = found == len(kinds)
    print("OBSERVED", json.dumps({"healthy": healthy, "kinds_found": found,
                                  "spread": round(images.std(0).max().item(), 3),
                                  "loss_d": round(sum(losses[-100:]) / 100, 2)}))
    sys.exit(0 if healthy else 1)
