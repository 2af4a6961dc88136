"""D30: the same script with python on one device, and with torchrun on several.

The model is wrapped only if there is a process group.

Symptom: none: one step on one device
Needs:   torch; cpu; about 3 s
Run:     python fix_one_process.py
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
    if dist.is_initialized():  # FIX: one process needs no wrapper
        model = DistributedDataParallel(model)
    loss = model(torch.ones(2, 4)).mean()
    loss.backward()

    healthy = all(p.grad is not None for p in model.parameters())
    print("OBSERVED", json.dumps({"healthy": healthy, "model": type(model).__name__}))
    sys.exit(0 if healthy else 1)
