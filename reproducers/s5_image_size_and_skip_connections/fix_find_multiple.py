"""S5: a search finds the number that height and width have to be divisible by.

The model gets images whose sides are odd multiples of 1, 2, 4 and so on. The first one that runs,
and gives an output of the same size, is the answer.

Symptom: none: 2, 4, 8, 16, 32 for models with 1 to 5 poolings
Needs:   torch; cpu; about 3 s
Run:     python fix_find_multiple.py
"""
import json
import sys

import torch
from torch import nn
from torch.nn import functional as F


class UNet(nn.Module):
    def __init__(self, poolings):
        super().__init__()
        self.poolings, self.head = poolings, nn.Conv2d(poolings + 1, 1, 1)

    def forward(self, x):
        levels = [x]
        for _ in range(self.poolings):
            levels.append(F.max_pool2d(levels[-1], 2))
        up = levels.pop()
        while levels:
            up = torch.cat([levels.pop(), F.interpolate(up, scale_factor=2)], 1)
        return self.head(up)


def keeps_size(model, images):
    """Whether the output has the height and width of the images."""
    try:
        return model(images).shape[-2:] == images.shape[-2:]
    except RuntimeError as error:
        print(images.shape[-1], error)
        return False


def multiple_of(model, channels, at_least=64):  # FIX: ask the model
    """What height and width have to be divisible by."""
    for multiple in (1, 2, 4, 8, 16, 32, 64, 128):
        side = multiple * (2 * (at_least // (2 * multiple)) + 1)
        if keeps_size(model, torch.zeros(1, channels, side, side)):
            return multiple


if __name__ == "__main__":
    with torch.no_grad():
        found = [multiple_of(UNet(poolings), channels=1) for poolings in range(1, 6)]
        without_pooling = multiple_of(nn.Conv2d(1, 1, 3, padding=1), channels=1)

    healthy = found == [2, 4, 8, 16, 32] and without_pooling == 1
    print("OBSERVED", json.dumps({"healthy": healthy, "found": found,
                                  "without_pooling": without_pooling}))
    sys.exit(0 if healthy else 1)
