"""S6: the model is moved after its last change.

to() moves the layers that the model has at that moment, so it comes last, just before the
optimizer.

Symptom: none: all parameters on the device
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
    model.head = nn.Linear(8, 2)
    model.to(device)  # FIX: after the last change of the model
    scores = model(torch.ones(3, 4, device=device))

    devices = sorted({parameter.device.type for parameter in model.parameters()})
    healthy = devices == [device] and list(scores.shape) == [3, 2]
    print("OBSERVED", json.dumps({"healthy": healthy, "devices": devices}))
    sys.exit(0 if healthy else 1)
