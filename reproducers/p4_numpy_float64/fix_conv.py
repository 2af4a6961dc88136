"""P4: the image is converted to float32 before it is divided.

torch keeps float32 when it divides by a number. numpy holds only the array of bytes.

Symptom: none: the convolution runs
Needs:   torch, numpy; cpu; about 2 s
Run:     python broken_conv.py; python fix_conv.py
"""
import json
import sys

import numpy as np
import torch
from torch import nn


if __name__ == "__main__":
    pixels = np.full((3, 8, 8), 128, dtype=np.uint8)
    image = torch.from_numpy(pixels).float() / 255.0  # FIX: divide in torch
    output = nn.Conv2d(3, 4, 3)(image[None])

    healthy = output.dtype == torch.float32 and abs(image.max().item() - 0.5) < 0.01
    print("OBSERVED", json.dumps({"healthy": healthy, "output": list(output.shape)}))
    sys.exit(0 if healthy else 1)
