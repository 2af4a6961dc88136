# Two ranks with different numbers of batches train with DDP's join context; the final weights agree bit by bit.
# needs: torch>=1.10
import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.distributed.algorithms.join import Join
from torch.nn.parallel import DistributedDataParallel as DDP


def run(rank, path):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method="file://" + path, rank=rank, world_size=2)
    torch.manual_seed(0)
    net = DDP(nn.Linear(2, 1))
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    steps = 0
    with Join([net]):
        for i in range(3 + 2 * rank):
            opt.zero_grad()
            net(torch.full((2, 2), float(i + rank))).mean().backward()
            opt.step()
            steps += 1
    all_ = [None, None]
    dist.all_gather_object(all_, (steps, [p.detach().tolist() for p in net.parameters()]))
    if rank == 0:
        print(all_[0][1] == all_[1][1], [a[0] for a in all_], all_[0][1])
    dist.destroy_process_group()


if __name__ == "__main__":
    path = os.path.abspath("store")
    mp.start_processes(run, (path,), nprocs=2, start_method="fork")
    if os.path.exists(path):
        os.remove(path)
