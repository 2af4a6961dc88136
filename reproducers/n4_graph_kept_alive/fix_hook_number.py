"""N4: memory stays constant when a hook keeps a number.

The hook appends the mean of the output as a Python number. A number holds neither a graph nor the
output.

Symptom: none: a hook that appends a number keeps next to nothing
Needs:   torch; cpu, linux; about 3 s
Run:     python fix_hook_number.py
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


def train(net, optimizer, steps):
    for _ in range(steps):
        optimizer.zero_grad()
        net(torch.randn(batch_size, width)).pow(2).mean().backward()
        optimizer.step()


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    ctypes.CDLL(None).mallopt(-3, 2**16)  # return freed blocks at once
    net = nn.Sequential(*[nn.Sequential(nn.Linear(width, width), nn.ReLU()) for _ in range(4)])
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    train(net, optimizer, 3)  # warm up the allocator
    kept = []

    def save(module, inputs, output):
        kept.append(output.detach().mean().item())  # FIX: keep one number

    net[-1].register_forward_hook(save)
    before = memory_mib()
    train(net, optimizer, steps)

    mib_per_step = (memory_mib() - before) / steps
    healthy = mib_per_step < 0.5 and len(kept) == steps
    print("OBSERVED", json.dumps({"healthy": healthy,
                                  "mib_kept_per_step": round(max(mib_per_step, 0), 1),
                                  "hook_calls": len(kept), "steps": steps}))
    sys.exit(0 if healthy else 1)
