"""S6: set_default_device() does not move what comes from files, numpy or the DataLoader.

It decides where torch.zeros() and new layers are created. A tensor that wraps memory of numpy
stays on the CPU, and so does the batch.

Symptom: the batch is on the CPU although the default device is a different one
Needs:   torch, numpy; cpu or cuda; about 2 s
Run:     python trap_default_device.py; python fixed.py
"""
import json
import sys

import numpy
import torch
from torch import nn

if torch.cuda.is_available():
    device = "cuda"
elif tuple(int(n) for n in torch.__version__.split(".")[:2]) >= (2, 0):
    device = "meta"  # a device without memory: the same rule, without a GPU
else:
    print("SKIPPED a CUDA device or torch 2.0 (device meta) is needed")
    sys.exit(77)

if __name__ == "__main__":
    torch.set_default_device(device)  # BUG: only for tensors that torch creates
    model = nn.Linear(4, 2)
    batch = torch.from_numpy(numpy.ones((3, 4), dtype="float32"))
    new = torch.zeros(3)
    torch.set_default_device("cpu")

    devices = {"model": model.weight.device.type, "new tensor": new.device.type,
               "batch": batch.device.type}
    healthy = set(devices.values()) == {device}
    print("OBSERVED", json.dumps({"healthy": healthy, "device_by_tensor": devices}))
    sys.exit(0 if healthy else 1)
