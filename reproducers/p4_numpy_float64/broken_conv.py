"""P4: an image that was divided in numpy is float64.

The message names the types of the input and of the bias.

Symptom: RuntimeError: Input type (double) and bias type (float) should be the same
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
    image = torch.from_numpy(pixels / 255.0)  # BUG: / makes float64
    output = nn.Conv2d(3, 4, 3)(image[None])

    healthy = output.dtype == torch.float32 and abs(image.max().item() - 0.5) < 0.01
    print("OBSERVED", json.dumps({"healthy": healthy, "output": list(output.shape)}))
    sys.exit(0 if healthy else 1)
