"""P3: a convolution in float32 gets an image in half precision.

The message of a convolution names the dtypes of the input and of the bias.

Symptom: Input type (c10::BFloat16) and bias type (float) should be the same
Needs:   torch; cpu; about 2 s
Run:     python broken_conv.py
"""
import json
import sys

import torch
from torch import nn

half = torch.bfloat16  # the same rules as float16, and every CPU has it


if __name__ == "__main__":
    conv = nn.Conv2d(1, 2, 3)
    images = torch.randn(4, 1, 8, 8).to(half)  # BUG: the weights are float32
    features = conv(images)

    healthy = list(features.shape) == [4, 2, 6, 6]
    print("OBSERVED", json.dumps({"healthy": healthy, "dtype": str(features.dtype)}))
    sys.exit(0 if healthy else 1)
