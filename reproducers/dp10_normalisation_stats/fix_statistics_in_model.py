"""DP10: statistics stored as buffers come back with the state_dict.

Buffers are part of the state_dict. Mean and std stored as buffers are saved and loaded with the
weights, so no caller has to know them.

Symptom: none: accuracy 0.95 on a test set with a different mix
Needs:   torch; cpu; about 3 s
Run:     python fix_statistics_in_model.py
"""
import io
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


class Normalise(nn.Module):
    def __init__(self, mean=torch.zeros(1, 3, 1, 1), std=torch.ones(1, 3, 1, 1)):
        super().__init__()
        self.register_buffer("mean", mean.clone())  # FIX: saved with the weights,
        self.register_buffer("std", std.clone())  # FIX: so that no caller chooses them

    def forward(self, images):
        return (images - self.mean) / self.std


def build(normalise):
    return nn.Sequential(normalise, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(3, 2))


def photos(n, share_of_day):
    """Night (0) and day (1): they differ in brightness only."""
    day = (torch.rand(n) < share_of_day).long()
    brightness = 0.4 + 0.2 * day.float() + 0.06 * torch.randn(n)
    return brightness.view(n, 1, 1, 1) + 0.03 * torch.randn(n, 3, 8, 8), day


if __name__ == "__main__":
    images, labels = photos(1000, share_of_day=0.5)
    mean = images.mean(dim=(0, 2, 3), keepdim=True)  # one number per channel
    std = images.std(dim=(0, 2, 3), keepdim=True)
    model = build(Normalise(mean, std))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    for _ in range(100):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(images), labels).backward()
        optimizer.step()
    checkpoint = io.BytesIO()
    torch.save(model.state_dict(), checkpoint)

    checkpoint.seek(0)
    served = build(Normalise())
    served.load_state_dict(torch.load(checkpoint))
    test, truth = photos(1000, share_of_day=0.9)
    with torch.no_grad():
        accuracy = round((served(test).argmax(1) == truth).float().mean().item(), 2)
    healthy = accuracy > 0.9
    print("OBSERVED", json.dumps({"healthy": healthy, "accuracy": accuracy}))
    sys.exit(0 if healthy else 1)
