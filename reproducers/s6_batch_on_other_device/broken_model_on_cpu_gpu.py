"""S6: the images are on the GPU, and the model was never moved.

The message names the weights as torch.FloatTensor, a type of the CPU, so the model has to move.

Symptom: Input type (torch.cuda.FloatTensor) and weight type (torch.FloatTensor) should be the same
Needs:   torch; cuda; about 10 s
Run:     python broken_model_on_cpu_gpu.py; python fix_gpu.py
"""
import json
import sys

import torch
from torch import nn


if __name__ == "__main__":
    if not torch.cuda.is_available():
        print("SKIPPED this needs a GPU")
        sys.exit(77)
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU())  # BUG: model.cuda() is missing
    images = torch.ones(4, 3, 16, 16).cuda()
    result = model(images)

    healthy = result.device.type == "cuda" and list(result.shape) == [4, 8, 14, 14]
    print("OBSERVED", json.dumps({"healthy": healthy, "device": result.device.type}))
    sys.exit(0 if healthy else 1)
