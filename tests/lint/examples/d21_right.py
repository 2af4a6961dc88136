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


def within(value, group=None):
    dist.all_reduce(value, group=group)
    return value


def average(value):
    dist.all_reduce(value)
    return value / dist.get_world_size()


def report(rank, value, group):
    mean = average(value)
    if rank == 0:
        print(mean, within(value, group))
    if rank == 0:
        print(average(value))
    else:
        average(value)


def report(value):
    dist.all_reduce(value)
    if dist.get_rank() != 0:
        return
    print(value)


def download(path):
    if dist.get_rank() != 0:
        dist.barrier()
        return
    fetch(path)
    dist.barrier()


def average_of_two(rank, value, values, pair):
    if rank in (0, 1):
        dist.all_reduce(value, dist.ReduceOp.SUM, pair)
        dist.gather(value, values if rank == 0 else None, 0, pair)
        dist.barrier(pair)


def wait():
    dist.barrier()


def download_while_others_wait(rank, path):
    if rank == 0:
        fetch(path)
        dist.barrier()
    else:
        wait()


def download_and_return(rank, path):
    if rank == 0:
        fetch(path)
        dist.barrier()
        return
    wait()


def download_in_two_ifs(rank, path):
    if rank == 0:
        fetch(path)
        dist.barrier()
    if rank != 0:
        wait()


def broadcast_by_two_names(rank, value):
    if rank == 0:
        dist.broadcast(value, 0)
    else:
        torch.distributed.broadcast(value, 0)
