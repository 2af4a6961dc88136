"""DP8: a crop of twice the stride leaves InstanceNorm a map of 2 x 2.

Four layers with stride 2 make 2 x 2 positions of 32 x 32 pixels, which have a variance.

Symptom: none: the output has 4 values per channel
Needs:   torch; cpu; about 2 s
Run:     python fix_larger_crop.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
crop = 32  # FIX: the four layers below reduce 32 x 32 to 2 x 2


def block(inputs):
    return nn.Sequential(nn.Conv2d(inputs, 8, 3, stride=2, padding=1), nn.InstanceNorm2d(8))


if __name__ == "__main__":
    images = torch.rand(4, 3, 64, 64)
    model = nn.Sequential(block(3), block(8), block(8), block(8))
    features = model(images[:, :, :crop, :crop])

    healthy = features.shape[:2] == (4, 8) and features.std().item() > 0
    print("OBSERVED", json.dumps({"healthy": healthy, "map": list(features.shape[2:])}))
    sys.exit(0 if healthy else 1)
