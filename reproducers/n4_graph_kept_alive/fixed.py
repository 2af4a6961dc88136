"""N4: memory stays constant when the losses are kept as numbers.

item() returns a Python number, which has no graph. The activations are freed after each step.

Symptom: none: validation keeps next to nothing for a list of numbers
Needs:   torch; cpu, linux; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import ctypes
import gc
import json
import sys

import torch
from torch import nn

if not sys.platform.startswith("linux"):
    print("SKIPPED this is not Linux")
    sys.exit(77)

steps, batch_size, width = 10, 2048, 128  # the output of each layer takes 1 MiB


def memory_mib():
    """Private memory of this process, without files and shared libraries."""
    gc.collect()
    with open("/proc/self/status") as status:
        fields = dict(line.split(":", 1) for line in status)
    return int(fields["RssAnon"].split()[0]) / 1024


def validate(net, losses, steps):
    net.eval()
    for _ in range(steps):
        losses.append(net(torch.randn(batch_size, width)).pow(2).mean().item())  # FIX: a number


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    ctypes.CDLL(None).mallopt(-3, 2**16)  # return freed blocks at once
    net = nn.Sequential(*[nn.Sequential(nn.Linear(width, width), nn.ReLU()) for _ in range(4)])
    losses = []
    validate(net, [], 3)  # warm up the allocator
    before = memory_mib()
    validate(net, losses, steps)

    mib_per_step = (memory_mib() - before) / steps
    healthy = mib_per_step < 0.5 and len(losses) == steps
    print("OBSERVED", json.dumps({"healthy": healthy,
                                  "mib_kept_per_step": round(max(mib_per_step, 0), 1)}))
    sys.exit(0 if healthy else 1)
