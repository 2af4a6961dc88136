"""S1: a Linear layer gets 800 features and was built for 512.

in_features was worked out for images of 16 x 16 pixels: 8 channels of 8 x 8 are 512. Images of
20 x 20 pixels give 8 channels of 10 x 10.

Symptom: mat1 and mat2 shapes cannot be multiplied (4x800 and 512x10)
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
    head = nn.Linear(512, classes)  # BUG: right for 16 x 16 pixels only
    model = nn.Sequential(features, head)
    scores = model(images)

    healthy = tuple(scores.shape) == (num_images, classes)
    print("OBSERVED", json.dumps({"healthy": healthy, "outputs": list(scores.shape)}))
    sys.exit(0 if healthy else 1)
