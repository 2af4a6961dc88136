"""S1: one image goes into a network that was trained with batches.

BatchNorm2d wants four axes: batch, channels, height, width. A single image has three.

Symptom: ValueError: expected 4D input (got 3D input)
Needs:   torch; cpu; about 2 s
Run:     python broken_axes.py; python fix_axes.py; diff broken_axes.py fix_axes.py
"""
import json
import sys

import torch
from torch import nn


if __name__ == "__main__":
    torch.manual_seed(0)
    model = nn.Sequential(nn.BatchNorm2d(3), nn.Conv2d(3, 4, 3), nn.Flatten(), nn.Linear(144, 2))
    image = torch.rand(3, 8, 8)
    scores = model(image)  # BUG: no batch axis

    healthy = list(scores.shape) == [1, 2]
    print("OBSERVED", json.dumps({"healthy": healthy}))
    sys.exit(0 if healthy else 1)
