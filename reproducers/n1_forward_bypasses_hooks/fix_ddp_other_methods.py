"""N1: DDP averages gradients for methods other than forward() when forward() dispatches.

DDP prepares the averaging of the gradients in its own forward() only. Here forward() of the model
takes the name of a method and calls it, so every method can be reached through the wrapper.

Symptom: none: two DDP ranks end with the same weights
Needs:   torch; cpu, linux; about 4 s
Run:     python fix_ddp_other_methods.py
"""
import json
import sys
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

steps = 3


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(1, 1, bias=False)

    def compute_loss(self, x):
        return self.linear(x).mean()

    def forward(self, method, *args, **kwargs):  # FIX: one entry point for every method
        return getattr(self, method)(*args, **kwargs)


def train(rank, folder, weights):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    torch.manual_seed(0)
    model = DistributedDataParallel(Net())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.ones(1, 1) * (rank + 1)  # each rank has its own data
    for _ in range(steps):
        optimizer.zero_grad()
        loss = model("compute_loss", x)  # not model.module.compute_loss(x)
        loss.backward()
        optimizer.step()
    weights[rank] = model.module.linear.weight.item()


if __name__ == "__main__":
    weights = torch.zeros(2).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder, weights), nprocs=2,
                                              start_method="fork")

    weights = [round(weight, 4) for weight in weights.tolist()]
    healthy = weights[0] == weights[1] != 0
    print("OBSERVED", json.dumps({"healthy": healthy, "weight_by_rank": weights}))
    sys.exit(0 if healthy else 1)
