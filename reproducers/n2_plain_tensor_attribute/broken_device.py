"""N2: a tensor kept as a plain attribute stays on the CPU.

to(device) moves parameters and buffers only. A tensor that is assigned as a plain attribute stays
on the CPU, and the forward pass meets tensors on two devices.

Symptom: the forward pass after model.to(device) raises
         `Expected all tensors to be on the same device`
Needs:   torch; cpu or cuda; about 2 s
Run:     python broken_device.py
"""
import json
import sys

import torch
from torch import nn

if torch.cuda.is_available():
    device = "cuda"
elif tuple(int(n) for n in torch.__version__.split(".")[:2]) >= (1, 13):
    device = "meta"  # a device without memory: the same rule, without a GPU
else:
    print("SKIPPED a CUDA device or torch 1.13 (device meta) is needed")
    sys.exit(77)


class Scale(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.offset = torch.zeros(dim)  # BUG: stays on the CPU

    def forward(self, x):
        return x * self.weight + self.offset


if __name__ == "__main__":
    model = Scale(4).to(device)
    y = model(torch.ones(2, 4, device=device))

    healthy = y.device.type == device
    print("OBSERVED", json.dumps({"healthy": healthy, "device": str(y.device)}))
    sys.exit(0 if healthy else 1)
