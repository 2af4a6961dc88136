"""O40: the generator also follows the gradients of the discriminator's loss.

Both optimizers are cleared first, and the images are not detached. The backward of the
discriminator then leaves gradients in the generator that make its images easier to recognise.

Symptom: no error: some kinds of images are never generated
Needs:   torch; cpu; about 6 s
Run:     python broken_gradients.py
"""
import json
import sys

import torch
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits as bce

torch.set_num_threads(1)
mean, std = 0.5, 0.5
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
    optimizer_d = torch.optim.Adam(discriminator.parameters(), lr=0.005, betas=(0.5, 0.999))
    real, fake = torch.ones(64, 1), torch.zeros(64, 1)
    losses = []
    for step in range(1000):
        optimizer_d.zero_grad()
        optimizer_g.zero_grad()  # BUG: before the discriminator's backward
        images = generator(torch.randn(64, 8))
        photos = load_images(64)
        loss_d = bce(discriminator(photos), real)
        loss_d = loss_d + bce(discriminator(images), fake)  # BUG: reaches the generator
        loss_d.backward(retain_graph=True)
        optimizer_d.step()
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
