"""M1: out of memory in the first optimizer.step(): Adam's state does not fit.

Adam keeps two numbers for each weight. It allocates them in the first step(), after the first
backward(). They do not depend on the batch size.

Symptom: RuntimeError: ... DefaultCPUAllocator: can't allocate memory
Needs:   torch; cpu, linux; about 2 s
Run:     python broken_optimizer.py
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

batch_size, steps = 64, 2


def limit_memory(mib):
    """Plays a full GPU: from here on the process gets this much more memory, and no more."""
    ctypes.CDLL(None).mallopt(-3, 2**16)  # give freed memory back at once
    with open("/proc/self/status") as status:
        fields = dict(line.split(":", 1) for line in status)
    limit = (int(fields["VmData"].split()[0]) << 10) + (mib << 20)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = nn.Sequential(*[nn.Linear(1024, 1024) for _ in range(8)])  # 32 MiB
    optimizer = torch.optim.Adam(model.parameters())  # BUG: 64 MiB, at the first step()
    inputs = torch.randn(batch_size, 1024)
    limit_memory(80)
    steps_done = 0
    for step in range(steps):
        optimizer.zero_grad()
        loss = model(inputs).pow(2).mean()
        loss.backward()
        optimizer.step()
        steps_done += 1

    healthy = steps_done == steps
    print("OBSERVED", json.dumps({"healthy": healthy, "steps_done": steps_done}))
    sys.exit(0 if healthy else 1)
