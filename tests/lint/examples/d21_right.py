import torch
import torch.distributed as dist


def load_once(local_rank, state):
    if local_rank > 0:
        dist.barrier()
    state.load()
    if local_rank == 0:
        dist.barrier()


def share(rank, value):
    if rank == 0:
        dist.broadcast(value, src=0)
    else:
        value = torch.zeros(1)
        dist.broadcast(value, src=0)
    if rank == 0:
        print(value)
    dist.barrier()
