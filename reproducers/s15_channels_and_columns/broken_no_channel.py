"""S15: volumes without a channel axis reach a 3D convolution.

A scan with one sequence has three axes, and a batch of scans has four. Conv3d reads four axes as
one volume with channels, and takes the batch for them.

Symptom: RuntimeError: ... to have 1 channels, but got 2 channels instead
Needs:   torch; cpu; about 3 s
Run:     python broken_no_channel.py
"""
import json
import sys

import torch
from torch import nn

classes = 2
sequences = 1


if __name__ == "__main__":
    torch.manual_seed(0)
    volumes = torch.stack([torch.randn(16, 16, 8), torch.randn(16, 16, 8)])
    model = nn.Conv3d(1, classes, 3, padding=1)  # BUG: the volumes have no axis for it
    shape = list(model(volumes).shape)

    healthy = shape == [2, classes, 16, 16, 8]
    print("OBSERVED", json.dumps({"healthy": healthy, "shape": shape}))
    sys.exit(0 if healthy else 1)
