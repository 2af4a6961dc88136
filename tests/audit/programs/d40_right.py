"""Each rank has its own samples and its own seed, and the first steps draw nothing."""

import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def train(rank, folder):
    dist.init_process_group("gloo", init_method="file://" + folder + "/ranks", rank=rank, world_size=2,
                            timeout=timedelta(seconds=30))
    data = torch.randn(10, 16, 4, generator=torch.Generator().manual_seed(rank))
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 1)))
    torch.manual_seed(rank)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for x in data:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()

if __name__ == "__main__":
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder,), nprocs=2, start_method="fork")
