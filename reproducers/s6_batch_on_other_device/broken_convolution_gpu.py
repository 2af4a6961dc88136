"""S6: the images stay on the CPU, and the model is on the GPU.

A convolution compares the types of its input and its weights, and a type names the device.

Symptom: Input type (torch.FloatTensor) and weight type (torch.cuda.FloatTensor) should be the same
Needs:   torch; cuda; about 10 s
Run:     python broken_convolution_gpu.py; python fix_gpu.py
"""
import json
import sys

import torch
from torch import nn


if __name__ == "__main__":
    if not torch.cuda.is_available():
        print("SKIPPED this needs a GPU")
        sys.exit(77)
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU()).cuda()
    images = torch.ones(4, 3, 16, 16)  # BUG: write images.cuda()
    result = model(images)

    healthy = result.device.type == "cuda" and list(result.shape) == [4, 8, 14, 14]
    print("OBSERVED", json.dumps({"healthy": healthy, "device": result.device.type}))
    sys.exit(0 if healthy else 1)
