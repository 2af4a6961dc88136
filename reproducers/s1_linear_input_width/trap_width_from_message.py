"""S1: in_features copied from the message makes a model that runs on single image rows.

The flatten is still missing. A layer for 8 features accepts the tensor (4, 8, 8, 8) and gives ten
scores for each row of each channel.

Symptom: scores of shape (4, 8, 8, 10) instead of (4, 10)
Needs:   torch; cpu; about 2 s
Run:     python trap_width_from_message.py; python fix_flatten.py
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
        self.head = nn.Linear(8, classes)  # BUG: the 8 of (256x8 and 512x10)

    def forward(self, images):
        x = nn.functional.max_pool2d(self.conv(images), 2)
        x = torch.relu(x)
        return self.head(x)


if __name__ == "__main__":
    torch.manual_seed(0)
    scores = Net()(torch.randn(num_images, 3, 16, 16))

    healthy = tuple(scores.shape) == (num_images, classes)
    print("OBSERVED", json.dumps({"healthy": healthy, "outputs": list(scores.shape)}))
    sys.exit(0 if healthy else 1)
