"""S1: AdaptiveAvgPool2d makes the width independent of the image size.

The pooling gives 8 x 8 positions for any input, so a head that was trained on one image size also
runs on another.

Symptom: none: the same head runs on images of 16 x 16 and 20 x 20 pixels
Needs:   torch; cpu; about 2 s
Run:     python fix_adaptive_pool.py
"""
import json
import sys

import torch
from torch import nn

num_images = 4
classes = 10


if __name__ == "__main__":
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.MaxPool2d(2),
                          nn.AdaptiveAvgPool2d(8),  # FIX: 8 x 8 positions from any image size
                          nn.Flatten(), nn.Linear(512, classes))
    shapes = [list(model(torch.randn(num_images, 3, side, side)).shape) for side in (16, 20)]

    healthy = shapes == [[num_images, classes]] * 2
    print("OBSERVED", json.dumps({"healthy": healthy, "shape_by_size_and_axis": shapes}))
    sys.exit(0 if healthy else 1)
