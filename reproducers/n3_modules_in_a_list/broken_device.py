"""N3: layers in a plain Python list stay on the CPU.

to() moves registered modules only. The layers in the plain list stay on the CPU, and forward() uses
them with inputs on the device.

Symptom: the forward pass after net.to(device) raises: tensors on two devices
Needs:   torch; cpu or cuda; about 2 s
Run:     python broken_device.py
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
        self.stem = nn.Linear(8, 8)
        self.layers = [nn.Linear(8, 8) for _ in range(2)]  # BUG: these stay on the CPU

    def forward(self, x):
        x = self.stem(x)
        for layer in self.layers:
            x = torch.relu(layer(x))
        return x


if __name__ == "__main__":
    net = Net().to(device)
    y = net(torch.ones(2, 8, device=device))

    healthy = y.device.type == device
    print("OBSERVED", json.dumps({"healthy": healthy, "device": str(y.device)}))
    sys.exit(0 if healthy else 1)
