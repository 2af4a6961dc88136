# needs: torch>=1.12
# DDP on two ranks: no_sync, buffers, join, a communication hook.
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel


def run(rank, file, queue):
    dist.init_process_group("gloo", init_method="file://" + file, rank=rank, world_size=2)
    torch.manual_seed(0)
    model = DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.Linear(4, 1)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(4):
        x = torch.full((2, 2), float(rank + step))
        if step % 2 == 0:
            with model.no_sync():
                model(x).sum().backward()
            continue
        model(x).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    total = torch.cat([p.detach().flatten() for p in model.parameters()]).sum()
    gathered = [torch.zeros(()) for _ in range(2)]
    dist.all_gather(gathered, total)
    if rank == 0:
        queue.put([value.item().hex() for value in gathered])
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    queue = mp.get_context("spawn").SimpleQueue()
    mp.spawn(run, (tempfile.mktemp(), queue), 2)
    print(queue.get())
