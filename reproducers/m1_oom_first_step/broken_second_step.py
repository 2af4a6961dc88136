"""M1: the first step fits, and the second one does not.

Adam allocates its state at the end of the first step. The activations of the second step come on
top of it, so the second step needs more memory than the first.

Symptom: RuntimeError: ... DefaultCPUAllocator: can't allocate memory, after one step
Needs:   torch; cpu, linux; about 2 s
Run:     python broken_second_step.py
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

batch_size, steps = 512, 2


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
    layers = [nn.Linear(1024, 1024) for _ in range(8)]  # 32 MiB
    model = nn.Sequential(*layers, *[nn.Tanh() for _ in range(48)])
    optimizer = torch.optim.Adam(model.parameters())
    inputs = torch.randn(batch_size, 1024)
    limit_memory(144)
    steps_done = 0
    for step in range(steps):
        optimizer.zero_grad()
        loss = model(inputs).pow(2).mean()  # BUG: 112 MiB, and in the second step Adam has 64
        loss.backward()
        optimizer.step()
        steps_done += 1
        print("steps done:", steps_done, file=sys.stderr)

    healthy = steps_done == steps
    print("OBSERVED", json.dumps({"healthy": healthy, "steps_done": steps_done}))
    sys.exit(0 if healthy else 1)
