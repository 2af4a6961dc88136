"""N1: DDP does not average gradients when its .module is called directly.

DDP's own forward() prepares the averaging of the gradients. `model.module(x)` goes past it, so each
rank trains on its own gradients.

Symptom: two DDP ranks end with different weights; nothing is raised
Needs:   torch; cpu, linux; about 4 s
Run:     python broken_ddp_module.py; python fix_ddp_call.py
"""
import json
import sys
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

steps = 3


def train(rank, folder, weights):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    torch.manual_seed(0)
    model = DistributedDataParallel(torch.nn.Linear(1, 1, bias=False))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.ones(1, 1) * (rank + 1)  # each rank has its own data
    for _ in range(steps):
        optimizer.zero_grad()
        model.module(x).mean().backward()  # BUG: bypasses DDP: gradients are not averaged
        optimizer.step()
    weights[rank] = model.module.weight.item()


if __name__ == "__main__":
    weights = torch.zeros(2).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder, weights), nprocs=2,
                                              start_method="fork")

    weights = [round(weight, 4) for weight in weights.tolist()]
    healthy = weights[0] == weights[1] != 0
    print("OBSERVED", json.dumps({"healthy": healthy, "weight_by_rank": weights}))
    sys.exit(0 if healthy else 1)
