"""All ranks sum the loss, and rank 0 prints it."""

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
    model = DistributedDataParallel(nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    for step in range(6):
        loss = model(torch.randn(8, 4)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total = loss.detach().clone()
        if step % 2:
            dist.all_reduce(total)
            if rank == 0:
                print(step, total.item() / 2)

if __name__ == "__main__":
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder,), nprocs=2, start_method="fork")
