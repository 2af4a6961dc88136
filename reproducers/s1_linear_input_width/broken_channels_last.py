"""S1: images from numpy or OpenCV have their channels last.

A convolution takes the second axis as the channels. In (4, 16, 16, 3) that is the height.

Symptom: expected input[4, 16, 16, 3] to have 3 channels, but got 16 channels instead
Needs:   torch; cpu; about 2 s
Run:     python broken_channels_last.py; python fix_channels.py
"""
import json
import sys

import torch
from torch import nn

num_images = 4


if __name__ == "__main__":
    torch.manual_seed(0)
    conv = nn.Conv2d(3, 8, 3)
    images = torch.randn(num_images, 16, 16, 3)  # BUG: height, width, channels
    shape = list(conv(images).shape)

    healthy = shape == [num_images, 8, 14, 14]
    print("OBSERVED", json.dumps({"healthy": healthy, "outputs": shape}))
    sys.exit(0 if healthy else 1)
