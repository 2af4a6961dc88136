"""S15: volumes of both kinds get their channels as axis 1.

movedim(-1, 1) moves the channels behind the batch, and unsqueeze(1) adds an axis of length 1.

Symptom: none: two volumes with 2 classes each, twice
Needs:   torch; cpu; about 3 s
Run:     python fix_volume.py
"""
import json
import sys

import torch
from torch import nn

classes = 2


if __name__ == "__main__":
    torch.manual_seed(0)
    channels_last = torch.randn(2, 16, 16, 8, 4)
    no_channel = torch.stack([torch.randn(16, 16, 8), torch.randn(16, 16, 8)])
    shapes = []
    volumes = channels_last.movedim(-1, 1)  # FIX: the last axis becomes axis 1
    shapes.append(list(nn.Conv3d(4, classes, 3, padding=1)(volumes).shape))
    volumes = no_channel.unsqueeze(1)  # FIX: a new axis 1
    shapes.append(list(nn.Conv3d(1, classes, 3, padding=1)(volumes).shape))

    healthy = shapes == [[2, classes, 16, 16, 8]] * 2
    print("OBSERVED", json.dumps({"healthy": healthy, "batches": len(shapes)}))
    sys.exit(0 if healthy else 1)
