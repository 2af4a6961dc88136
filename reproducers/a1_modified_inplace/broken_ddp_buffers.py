"""A1: two forward passes of a DDP model with BatchNorm before one backward().

Before each training forward DDP copies the buffers of rank 0 into those of all ranks. BatchNorm
kept its running statistics for backward(), and the second forward writes to them.

Symptom: RuntimeError: one of the variables needed for gradient computation has been modified
Needs:   torch; cpu, linux; about 4 s
Run:     python broken_ddp_buffers.py
"""
import json
import sys
import tempfile

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def train(rank, folder, steps):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=1)
    net = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))
    model = DistributedDataParallel(net)  # BUG: each forward overwrites the buffers
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        real, fake = model(torch.randn(8, 4)), model(torch.randn(8, 4))
        (real - fake).pow(2).mean().backward()
        optimizer.step()
        steps += 1


if __name__ == "__main__":
    steps = torch.zeros(1, dtype=torch.int64).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder, steps), nprocs=1,
                                              start_method="fork")

    healthy = steps.item() == 3
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": steps.item()}))
    sys.exit(0 if healthy else 1)
