"""DP10: the model meets pixels that are normalised differently from those it learnt from.

Normalisation is part of the model: the weights are fitted to (x - mean) / std with one mean and
one std. Other constants, or pixels in another range or channel order, shift every input, and
nothing can raise, because any numbers fit the shapes.

Symptom: accuracy 0.64 where 0.94 was expected, on a test set with another mix of classes
Needs:   torch; cpu; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


def photos(n, share_of_day):
    """Night (0) and day (1): they differ in brightness only."""
    day = (torch.rand(n) < share_of_day).long()
    brightness = 0.4 + 0.2 * day.float() + 0.06 * torch.randn(n)
    return brightness.view(n, 1, 1, 1) + 0.03 * torch.randn(n, 3, 8, 8), day


def accuracy(model, images, labels):
    with torch.no_grad():
        return round((model(images).argmax(1) == labels).float().mean().item(), 2)


if __name__ == "__main__":
    model = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(3, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    images, labels = photos(1000, share_of_day=0.5)
    mean = images.mean(dim=(0, 2, 3), keepdim=True)  # one number per channel
    std = images.std(dim=(0, 2, 3), keepdim=True)
    for _ in range(100):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model((images - mean) / std), labels).backward()
        optimizer.step()

    mixes, statistics = ["half day", "90 % day"], ["of training", "as served"]
    rows = []  # one for a test set of the training mix, one for another mix
    for share_of_day in (0.5, 0.9):
        test, truth = photos(1000, share_of_day)
        expected = accuracy(model, (test - mean) / std, truth)
        test = (test - mean) / std  # FIX: the statistics of the training set, here too
        rows.append([expected, accuracy(model, test, truth)])

    healthy = all(abs(seen - expected) < 0.05 for expected, seen in rows)
    print("OBSERVED", json.dumps({"healthy": healthy, "mixes": mixes,
                                  "statistics": statistics,
                                  "accuracy_by_mix_and_statistics": rows}))
    sys.exit(0 if healthy else 1)
