"""S1: view(-1, 512) removes the error by cutting images into pieces.

With -1 for the first axis, view() makes as many rows as fit. Images of 32 x 32 pixels have four
times as many features, so each image becomes four rows.

Symptom: 16 rows of scores for 4 images
Needs:   torch; cpu; about 2 s
Run:     python trap_view.py; python fix_adaptive_pool.py
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
        x = torch.relu(x).view(-1, 512)  # BUG: the batch axis is what is left
        return self.head(x)


if __name__ == "__main__":
    torch.manual_seed(0)
    scores = Net()(torch.randn(num_images, 3, 32, 32))

    healthy = tuple(scores.shape) == (num_images, classes)
    print("OBSERVED", json.dumps({"healthy": healthy, "outputs": list(scores.shape)}))
    sys.exit(0 if healthy else 1)
