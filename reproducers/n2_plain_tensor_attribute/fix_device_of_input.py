"""N2: tensors created in forward() on the device of the input, and a batch that is moved.

A tensor created in forward() is on the CPU unless device= says otherwise. Taking the device of
the input keeps both together. A batch is moved by assigning the result of .to(device).

Symptom: none: the output is on the device of the model
Needs:   torch; cpu or cuda; about 2 s
Run:     python broken_not_assigned.py; python fix_device_of_input.py
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


class AddPosition(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.linear = nn.Linear(dim, dim)

    def forward(self, x):
        position = torch.arange(x.size(1), device=x.device)  # FIX: without device= it is on the CPU
        return self.linear(x) + position


if __name__ == "__main__":
    model = AddPosition(4).to(device)
    batch = torch.ones(3, 4)
    batch = batch.to(device)  # FIX: assign the result
    y = model(batch)

    healthy = y.device.type == device
    print("OBSERVED", json.dumps({"healthy": healthy, "device": str(y.device)}))
    sys.exit(0 if healthy else 1)
