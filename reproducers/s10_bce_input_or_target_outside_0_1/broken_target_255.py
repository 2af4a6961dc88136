"""S10: BCELoss refuses a mask whose values are 0 and 255.

A mask that was read from an image file has the values 0 and 255. Newer versions of torch check the
target as well as the input.

Symptom: RuntimeError: all elements of target should be between 0 and 1
Needs:   torch; cpu; about 2 s
Run:     python broken_target_255.py; python fix_mask.py
"""
import json
import sys

import torch
from torch import nn


if __name__ == "__main__":
    mask = torch.zeros(4, 4, dtype=torch.uint8)
    mask[1:3, 1:3] = 255  # as in the image file
    probability = torch.full((4, 4), 0.2)
    loss = nn.BCELoss()(probability, mask.float())  # BUG: 255 is not a probability

    healthy = loss.item() > 0  # a number comes out
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": round(loss.item(), 2)}))
    sys.exit(0 if healthy else 1)
