"""S15: volumes with their channels last reach a 3D convolution.

nibabel and numpy keep the sequences of a scan in the last axis. Conv3d reads axis 1 as channels.

Symptom: RuntimeError: ... expected input[2, 16, 16, 8, 4] to have 4 channels, but got 16 channels
Needs:   torch; cpu; about 3 s
Run:     python broken_volume.py
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
    model = nn.Conv3d(sequences, classes, 3, padding=1)  # BUG: axis 1 is the height
    shape = list(model(volumes).shape)

    healthy = shape == [2, classes, 16, 16, 8]
    print("OBSERVED", json.dumps({"healthy": healthy, "shape": shape}))
    sys.exit(0 if healthy else 1)
