"""N2: batch.to(device) without an assignment leaves the batch on the CPU.

Module.to() changes the module in place. Tensor.to() does not: it returns a new tensor, and the
original stays where it was. The result has to be assigned.

Symptom: the forward pass raises `Expected all tensors to be on the same device`
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

if __name__ == "__main__":
    model = nn.Linear(4, 2)
    model.to(device)
    batch = torch.ones(3, 4)
    batch.to(device)  # BUG: returns the moved tensor and drops it
    y = model(batch)

    healthy = y.device.type == device
    print("OBSERVED", json.dumps({"healthy": healthy, "device": str(y.device)}))
    sys.exit(0 if healthy else 1)
