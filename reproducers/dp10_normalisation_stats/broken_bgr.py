"""DP10: BGR channels under RGB weights and statistics swap red and blue.

Normalisation is part of the model: its weights are fitted to (x - mean) / std with one mean and
one std, for one range of pixels and one channel order. Other numbers fit the shapes as well, so
nothing raises.

Symptom: red images are taken for blue ones and blue ones for red; green is right
Needs:   torch; cpu; about 3 s
Run:     python broken_bgr.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
mean = torch.tensor([0.485, 0.456, 0.406]).view(3, 1, 1)
std = torch.tensor([0.229, 0.224, 0.225]).view(3, 1, 1)


def photos(n):
    """Pixels 0..1 in RGB order; the class is the colour that dominates."""
    labels = torch.randint(0, 3, (n,))
    images = 0.4 * torch.rand(n, 3, 8, 8)
    images[torch.arange(n), labels] += 0.3
    return images, labels


def recall_of_each_class(model, images, labels):
    with torch.no_grad():
        right = (model(images).argmax(1) == labels).float()
    return [round(right[labels == c].mean().item(), 2) for c in range(3)]


if __name__ == "__main__":
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                          nn.Linear(8, 3))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    images, labels = photos(300)
    for _ in range(80):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model((images - mean) / std), labels).backward()
        optimizer.step()

    test, truth = photos(300)
    recall = [recall_of_each_class(model, (test - mean) / std, truth)]
    bgr = test.flip(1)  # BUG: as cv2 reads it; mean, std and weights are in RGB order
    recall.append(recall_of_each_class(model, (bgr - mean) / std, truth))

    healthy = min(recall[1]) > 0.9
    print("OBSERVED", json.dumps({"healthy": healthy, "recall_by_order_and_class": recall}))
    sys.exit(0 if healthy else 1)
