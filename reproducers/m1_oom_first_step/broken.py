"""M1: out of memory in the first forward(): the activations of the batch do not fit.

In training every layer keeps what backward() needs of it. These activations grow with the batch
size, and so does most of the memory of a small model.

Symptom: RuntimeError: ... DefaultCPUAllocator: can't allocate memory
Needs:   torch; cpu, linux; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import ctypes
import json
import sys

import torch
from torch import nn

if not sys.platform.startswith("linux"):
    print("SKIPPED the memory of a process is limited here as on Linux")
    sys.exit(77)
import resource

num_samples, steps = 8192, 2


def limit_memory(mib):
    """Plays a full GPU: from here on the process gets this much more memory, and no more."""
    ctypes.CDLL(None).mallopt(-3, 2**16)  # give freed memory back at once
    with open("/proc/self/status") as status:
        fields = dict(line.split(":", 1) for line in status)
    limit = (int(fields["VmData"].split()[0]) << 10) + (mib << 20)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def block():
    return nn.Sequential(nn.Linear(128, 512), nn.ReLU(), nn.Linear(512, 128))


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = nn.Sequential(*[block() for _ in range(8)])
    optimizer = torch.optim.Adam(model.parameters())
    inputs, labels = torch.randn(num_samples, 128), torch.randn(num_samples, 128)
    limit_memory(112)
    steps_done = 0
    for step in range(steps):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(inputs), labels)  # BUG: 8192 samples at once
        loss.backward()
        optimizer.step()
        steps_done += 1

    healthy = steps_done == steps
    print("OBSERVED", json.dumps({"healthy": healthy, "steps_done": steps_done}))
    sys.exit(0 if healthy else 1)
