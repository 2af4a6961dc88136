"""S6: a layer that is replaced after model.to(device) is on the CPU.

to() moves the layers that the model has at that moment. The new head is created later.

Symptom: Expected all tensors to be on the same device, but found at least two devices
Needs:   torch; cpu or cuda; about 2 s
Run:     python broken_new_head.py; python fix_new_head.py
"""
import json
import sys

import torch
from torch import nn

if torch.cuda.is_available():
    device = "cuda"
elif tuple(int(n) for n in torch.__version__.split(".")[:2]) >= (2, 0):
    device = "meta"  # a device without memory: the same rule, without a GPU
else:
    print("SKIPPED a CUDA device or torch 2.0 (device meta) is needed")
    sys.exit(77)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(4, 8), nn.Linear(8, 1000)

    def forward(self, x):
        return self.head(torch.relu(self.body(x)))


if __name__ == "__main__":
    model = Net()
    model.to(device)
    model.head = nn.Linear(8, 2)  # BUG: created on the CPU
    scores = model(torch.ones(3, 4, device=device))

    devices = sorted({parameter.device.type for parameter in model.parameters()})
    healthy = devices == [device] and list(scores.shape) == [3, 2]
    print("OBSERVED", json.dumps({"healthy": healthy, "devices": devices}))
    sys.exit(0 if healthy else 1)
