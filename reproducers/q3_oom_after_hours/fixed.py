"""Q3: the growth of each step shows one jump, which is a second copy of the model.

If memory runs out after hours, it has grown in one of four ways: a little in each step, in each
validation, in a single jump, or for one large batch. Readings after each step tell which it was.

Symptom: none: found: one jump that stays
Needs:   torch; cpu, linux; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import ctypes
import json
import sys

import torch
from torch import nn

if not sys.platform.startswith("linux"):
    print("SKIPPED memory is read from /proc, as on Linux")
    sys.exit(77)

def memory_mib(pid="self"):
    with open("/proc/%s/status" % pid) as status:
        fields = dict(line.split(":", 1) for line in status)
    return int(fields["RssAnon"].split()[0]) / 1024


def train():
    """A sound loop that makes a second copy of the model, as EMA and SWA do, after step 8."""
    net = nn.Sequential(nn.Linear(2048, 512), *[nn.Tanh() for _ in range(8)])  # 4 MiB
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    averaged = None
    for step in range(16):
        loss = net(torch.randn(128, 2048)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step == 8:
            averaged = [p.detach().clone() for p in net.parameters()]
        yield memory_mib()
    del averaged


if __name__ == "__main__":
    torch.set_num_threads(1)
    ctypes.CDLL(None).mallopt(-3, 2**16)  # return freed blocks at once
    used = list(train())[2:]
    growth = [after - before for before, after in zip(used, used[1:])]  # FIX: of each step
    found = "one jump that stays" if max(growth) > 0.8 * sum(growth) else "every step grows"

    healthy = found == "one jump that stays" and len(used) == 14
    print("OBSERVED", json.dumps({"healthy": healthy, "found": found, "steps_read": len(used)}))
    sys.exit(0 if healthy else 1)
