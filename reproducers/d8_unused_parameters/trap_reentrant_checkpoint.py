"""D8: find_unused_parameters=True and reentrant activation checkpointing exclude each other.

A reentrant checkpoint hides its block from the graph that DDP walks. DDP treats the parameters of
the block as unused and marks them as ready; then the recomputation in backward() marks them a
second time.

Symptom: RuntimeError: Expected to mark a variable ready only once
Needs:   torch; cpu, linux; about 6 s
Run:     python trap_reentrant_checkpoint.py
"""
import json
import sys
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.checkpoint import checkpoint

num_steps = 3
torch.manual_seed(0)


class Tower(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.block = torch.nn.Linear(4, 4)
        self.head = torch.nn.Linear(4, 1)

    def forward(self, x):
        x = x.requires_grad_()
        return self.head(checkpoint(self.block, x))


def train(rank, folder, steps):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    net = Tower()
    model = DistributedDataParallel(net, find_unused_parameters=True)  # BUG: hidden, not unused
    for step in range(num_steps):
        net.zero_grad()
        x = torch.full((2, 4), float(rank + 1))
        model(x).mean().backward()
        steps[rank] += 1


if __name__ == "__main__":
    steps = torch.zeros(2, dtype=torch.int64).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder, steps), nprocs=2,
                                              start_method="fork")

    steps = steps.tolist()
    healthy = steps == [num_steps] * 2
    print("OBSERVED", json.dumps({"healthy": healthy, "steps_by_rank": steps}))
    sys.exit(0 if healthy else 1)
