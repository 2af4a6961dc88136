"""M4: out of memory in validation: the validation set is one batch.

Training takes 256 rows at a time. Validation gives all 8192 rows to the model at once, and one
hidden layer then needs 32 MiB for its input and again for its output.

Symptom: RuntimeError: ... DefaultCPUAllocator: can't allocate memory, in validation
Needs:   torch; cpu, linux; about 3 s
Run:     python broken_whole_set.py
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

num_rows, width, hidden = 16384, 32, 1024


def limit_memory(mib):
    """Plays a full GPU: from here on the process gets this much more memory, and no more."""
    ctypes.CDLL(None).mallopt(-3, 2**16)  # give freed memory back at once
    with open("/proc/self/status") as status:
        fields = dict(line.split(":", 1) for line in status)
    limit = (int(fields["VmData"].split()[0]) << 10) + (mib << 20)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


@torch.no_grad()
def evaluate(model, rows):
    model.eval()
    return model(rows)  # BUG: 8192 rows at once


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = nn.Sequential(nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, 1))
    rows, labels = torch.randn(num_rows, width), torch.randn(num_rows, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    limit_memory(40)
    for part in torch.arange(num_rows // 2).split(256):
        optimizer.zero_grad()
        nn.functional.mse_loss(model(rows[part]), labels[part]).backward()
        optimizer.step()
    output = evaluate(model, rows[num_rows // 2:])

    evaluated = len(output)
    healthy = evaluated == num_rows // 2 and output.std().item() > 0
    print("OBSERVED", json.dumps({"healthy": healthy, "rows_evaluated": evaluated}))
    sys.exit(0 if healthy else 1)
