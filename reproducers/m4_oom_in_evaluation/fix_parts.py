"""M4: validation takes the rows in parts, as training does.

Only the outputs of the parts are kept, one number for each row.

Symptom: none: all 8192 rows are evaluated
Needs:   torch; cpu, linux; about 3 s
Run:     python fix_parts.py
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
    return torch.cat([model(part) for part in rows.split(256)])  # FIX: 256 rows at a time


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
