"""Each rank has data of another kind, and BatchNorm keeps the statistics of one."""

import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def train(rank, folder):
    dist.init_process_group("gloo", init_method="file://" + folder + "/ranks", rank=rank, world_size=2,
                            timeout=timedelta(seconds=30))
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Sequential(nn.BatchNorm1d(4), nn.Linear(4, 1)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    torch.manual_seed(rank)
    for _ in range(12):
        x = torch.randn(32, 4) + 3 * rank
        optimizer.zero_grad()
        model(x).pow(2).mean().backward()
        optimizer.step()

if __name__ == "__main__":
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder,), nprocs=2, start_method="fork")
