"""S1: in_features is measured with one image.

One image goes through the layers before the head, and the width that comes out is in_features.

Symptom: none: 10 scores for each of 4 images
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
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
    features = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.MaxPool2d(2), nn.Flatten())
    width = features(images[:1]).shape[1]  # FIX: measured, for any image size
    head = nn.Linear(width, classes)  # FIX
    model = nn.Sequential(features, head)
    scores = model(images)

    healthy = tuple(scores.shape) == (num_images, classes)
    print("OBSERVED", json.dumps({"healthy": healthy, "outputs": list(scores.shape)}))
    sys.exit(0 if healthy else 1)
