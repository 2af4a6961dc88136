"""DP8: a crop as large as the stride of the network leaves InstanceNorm a map of 1 x 1.

Four layers with stride 2 make one position of 16 x 16 pixels. With one value per channel, a sample
has no variance.

Symptom: ValueError: Expected more than 1 spatial element when training, got input size ...
Needs:   torch; cpu; about 2 s
Run:     python broken_instance_norm.py; python fix_larger_crop.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
crop = 16  # BUG: the four layers below reduce 16 x 16 to 1 x 1


def block(inputs):
    return nn.Sequential(nn.Conv2d(inputs, 8, 3, stride=2, padding=1), nn.InstanceNorm2d(8))


if __name__ == "__main__":
    images = torch.rand(4, 3, 64, 64)
    model = nn.Sequential(block(3), block(8), block(8), block(8))
    features = model(images[:, :, :crop, :crop])

    healthy = features.shape[:2] == (4, 8) and features.std().item() > 0
    print("OBSERVED", json.dumps({"healthy": healthy, "map": list(features.shape[2:])}))
    sys.exit(0 if healthy else 1)
