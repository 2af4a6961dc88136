"""S1: a convolution for 3 channels gets grey images.

The second axis of the input must have as many channels as the layer was built for.

Symptom: expected input[4, 1, 16, 16] to have 3 channels, but got 1 channels instead
Needs:   torch; cpu; about 2 s
Run:     python broken_channels.py; python fix_channels.py
"""
import json
import sys

import torch
from torch import nn

num_images = 4


if __name__ == "__main__":
    torch.manual_seed(0)
    conv = nn.Conv2d(3, 8, 3)
    images = torch.randn(num_images, 1, 16, 16)  # BUG: grey
    shape = list(conv(images).shape)

    healthy = shape == [num_images, 8, 14, 14]
    print("OBSERVED", json.dumps({"healthy": healthy, "outputs": shape}))
    sys.exit(0 if healthy else 1)
