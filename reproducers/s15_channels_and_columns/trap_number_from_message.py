"""S15: the convolution is built for the number in the message, which is the height.

It runs. The channels of the scan become its last space axis, and the classes lie over width, depth
and sequences.

Symptom: no error: scores of shape [2, 2, 16, 8, 4] for volumes of 16 x 16 x 8
Needs:   torch; cpu; about 3 s
Run:     python trap_number_from_message.py
"""
import json
import sys

import torch
from torch import nn

classes = 2
sequences = 4  # T1, T1 with contrast, T2, FLAIR


if __name__ == "__main__":
    torch.manual_seed(0)
    volumes = torch.randn(2, 16, 16, 8, 4)
    model = nn.Conv3d(16, classes, 3, padding=1)  # BUG: 16 is the height, not a channel
    shape = list(model(volumes).shape)

    healthy = shape == [2, classes, 16, 16, 8]
    print("OBSERVED", json.dumps({"healthy": healthy, "shape": shape}))
    sys.exit(0 if healthy else 1)
