"""N1: model.forward(x) computes the output, but the model's hooks do not run.

Hooks belong to the call, not to forward(): `model(x)` is Module.__call__, which runs the pre-
hooks, forward() and the forward hooks of that one module. Calling forward() oneself leaves them
out, and with them everything that is built on hooks or on a wrapper's own forward().

Symptom: two DDP ranks end with the same weights
Needs:   torch; cpu, linux; about 4 s
Run:     python fix_ddp_call.py
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
    x = torch.ones(1, 1) * (rank + 1)  # each rank has data of its own
    for _ in range(steps):
        optimizer.zero_grad()
        model(x).mean().backward()  # FIX: through DDP's own forward()
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
