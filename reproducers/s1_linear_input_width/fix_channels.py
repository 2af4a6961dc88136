"""S1: grey images are repeated to 3 channels, and channels that are last are moved.

expand() repeats the grey channel without a copy, and permute() moves the last axis to where a
convolution expects it.

Symptom: none: both batches give (4, 8, 14, 14)
Needs:   torch; cpu; about 2 s
Run:     python fix_channels.py
"""
import json
import sys

import torch
from torch import nn

num_images = 4


if __name__ == "__main__":
    torch.manual_seed(0)
    conv = nn.Conv2d(3, 8, 3)
    grey, from_numpy = torch.randn(num_images, 1, 16, 16), torch.randn(num_images, 16, 16, 3)
    grey = grey.expand(-1, 3, -1, -1)  # FIX: three times the same channel
    from_numpy = from_numpy.permute(0, 3, 1, 2)  # FIX: channels before height and width
    shapes = [list(conv(images).shape) for images in (grey, from_numpy)]

    healthy = shapes == [[num_images, 8, 14, 14]] * 2
    print("OBSERVED", json.dumps({"healthy": healthy, "shape_by_batch_and_axis": shapes}))
    sys.exit(0 if healthy else 1)
