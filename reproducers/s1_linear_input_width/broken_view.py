"""S1: a view() for 512 features gets images with 800 features each.

Four images with 800 features are 3200 numbers, which cannot be cut into rows of 512.

Symptom: shape '[-1, 512]' is invalid for input of size 3200
Needs:   torch; cpu; about 2 s
Run:     python broken_view.py; python fixed.py
"""
import json
import sys

import torch
from torch import nn

num_images = 4
side = 20
classes = 10


if __name__ == "__main__":
    torch.manual_seed(0)
    images = torch.randn(num_images, 3, side, side)
    features = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.MaxPool2d(2))
    head = nn.Linear(512, classes)
    scores = head(features(images).view(-1, 512))  # BUG: right for 16 x 16 pixels only

    healthy = tuple(scores.shape) == (num_images, classes)
    print("OBSERVED", json.dumps({"healthy": healthy, "outputs": list(scores.shape)}))
    sys.exit(0 if healthy else 1)
