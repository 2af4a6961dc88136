# DistributedDataParallel on gloo with mp.spawn: losses as bits, synchronised gradients, a DistributedSampler, no_sync.
# needs: torch>=1.9
import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def run(rank, path, world):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method="file://" + path, rank=rank, world_size=world)
    torch.manual_seed(rank)
    net = DDP(nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 1)))
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    data = TensorDataset(torch.arange(16.0).view(8, 2) / 16)
    sampler = DistributedSampler(data, shuffle=True, seed=3)
    lines = []
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for i, (x,) in enumerate(DataLoader(data, batch_size=2, sampler=sampler)):
            with net.no_sync() if i == 0 else torch.enable_grad():
                loss = net(x).pow(2).mean()
                loss.backward()
            if i:
                opt.step()
                opt.zero_grad()
            lines.append(f"{epoch} {x[:, 0].tolist()} {loss.item().hex()}")
    lines.append(sorted(vars(net.module)) == sorted(vars(nn.Sequential())) and list(net.state_dict())[0])
    gathered = [None] * world
    dist.all_gather_object(gathered, lines)
    if rank == 0:
        for r, ls in enumerate(gathered):
            for line in ls:
                print(r, line)
    dist.destroy_process_group()


if __name__ == "__main__":
    path = os.path.abspath("store")
    mp.start_processes(run, (path, 2), nprocs=2, start_method="fork")
    if os.path.exists(path):
        os.remove(path)
