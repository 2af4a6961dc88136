"""D30: one process without a launcher, and code for several ranks.

The script creates the process group only if torchrun has set RANK, and then wraps the model in
DistributedDataParallel in any case.

Symptom: ValueError: Default process group has not been initialized
Needs:   torch; cpu; about 3 s
Run:     python broken_no_process_group.py; python fix_one_process.py
"""
import json
import sys

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

launched = False  # torchrun sets RANK, python does not

if __name__ == "__main__":
    if launched:
        dist.init_process_group("gloo")
    model = torch.nn.Linear(4, 1)
    model = DistributedDataParallel(model)  # BUG: also without a process group
    loss = model(torch.ones(2, 4)).mean()
    loss.backward()

    healthy = all(p.grad is not None for p in model.parameters())
    print("OBSERVED", json.dumps({"healthy": healthy, "model": type(model).__name__}))
    sys.exit(0 if healthy else 1)
