"""S1: flatten(1) keeps the batch axis and joins the others.

Linear works on the last axis, so channels, rows and columns have to become one axis first.

Symptom: none: 10 scores for each of 4 images
Needs:   torch; cpu; about 2 s
Run:     python broken_no_flatten.py; python fix_flatten.py
"""
import json
import sys

import torch
from torch import nn

num_images = 4
classes = 10


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)
        self.head = nn.Linear(512, classes)

    def forward(self, images):
        x = nn.functional.max_pool2d(self.conv(images), 2)
        x = torch.relu(x).flatten(1)  # FIX: (4, 512)
        return self.head(x)


if __name__ == "__main__":
    torch.manual_seed(0)
    scores = Net()(torch.randn(num_images, 3, 16, 16))

    healthy = tuple(scores.shape) == (num_images, classes)
    print("OBSERVED", json.dumps({"healthy": healthy, "outputs": list(scores.shape)}))
    sys.exit(0 if healthy else 1)
