"""Ranks that are started by hand compute with a thread for each core, each of them."""

import os
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def train(rank, ranks, folder):
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    dist.init_process_group("gloo", init_method="file://" + folder + "/ranks", rank=rank, world_size=ranks,
                            timeout=timedelta(seconds=60))
    torch.manual_seed(rank)
    model = DistributedDataParallel(nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(4):
        optimizer.zero_grad()
        model(torch.randn(8, 4)).pow(2).mean().backward()
        optimizer.step()

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(3, folder), nprocs=3, start_method="fork")
