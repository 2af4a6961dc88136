"""DP8: BatchNorm accepts one image, and raises after a global pooling.

In training mode BatchNorm normalises each channel by its mean and variance over the batch and the
positions. A batch of one without positions has one value per channel and no variance, so
BatchNorm raises.

Symptom: ValueError: Expected more than 1 value per channel when training, got input size
         torch.Size([1, 8, 1, 1])
Needs:   torch; cpu; about 3 s
Run:     python broken_global_pooling.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(
    nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(),  # sees [1, 8, 30, 30]: 900 values a channel
    nn.AdaptiveAvgPool2d(1), nn.Conv2d(8, 8, 1),
    nn.BatchNorm2d(8),  # BUG: sees [1, 8, 1, 1]: one value a channel, however large the image
    nn.ReLU(), nn.Flatten(), nn.Linear(8, 2),
)

if __name__ == "__main__":
    one_image = torch.randn(1, 3, 32, 32)
    net.train()
    scores = net(one_image)

    healthy = list(scores.shape) == [1, 2]
    print("OBSERVED", json.dumps({"healthy": healthy, "scores": scores.numel()}))
    sys.exit(0 if healthy else 1)
