"""S1: the tensor was not flattened, so Linear sees its last axis only.

Linear works on the last axis. It reads a tensor (4, 8, 8, 8) as 4 * 8 * 8 = 256 rows of 8 features.
256 * 8 equals 4 * 512: all numbers are there, in the wrong shape.

Symptom: mat1 and mat2 shapes cannot be multiplied (256x8 and 512x10)
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
        x = torch.relu(x)  # BUG: still (4, 8, 8, 8)
        return self.head(x)


if __name__ == "__main__":
    torch.manual_seed(0)
    scores = Net()(torch.randn(num_images, 3, 16, 16))

    healthy = tuple(scores.shape) == (num_images, classes)
    print("OBSERVED", json.dumps({"healthy": healthy, "outputs": list(scores.shape)}))
    sys.exit(0 if healthy else 1)
