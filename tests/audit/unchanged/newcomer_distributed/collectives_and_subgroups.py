# Every common collective on gloo and on a subgroup, with async handles, objects, point-to-point and a barrier.
# needs: torch>=1.9
import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def run(rank, path, world):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method="file://" + path, rank=rank, world_size=world)
    out = []
    t = torch.tensor([rank + 1.0])
    out.append(("all_reduce", dist.all_reduce(t), t.item()))
    work = dist.all_reduce(t, op=dist.ReduceOp.MAX, async_op=True)
    out.append(("async", type(work.wait()).__name__, work.is_completed(), t.item()))
    parts = [torch.zeros(1) for _ in range(world)]
    dist.all_gather(parts, torch.tensor([float(rank)]))
    out.append(("all_gather", [p.item() for p in parts]))
    b = torch.tensor([rank * 10.0])
    dist.broadcast(b, src=1)
    out.append(("broadcast", b.item()))
    objects = [{"a": rank}, "x"]
    dist.broadcast_object_list(objects, src=0)
    out.append(("objects", objects))
    if rank == 0:
        dist.send(torch.tensor([7.0]), dst=1)
    else:
        r = torch.zeros(1)
        out.append(("recv", dist.recv(r, src=0), r.item()))
    group = dist.new_group([1])
    if rank == 1:
        s = torch.ones(1)
        dist.all_reduce(s, group=group)
        out.append(("subgroup", s.item(), dist.get_rank(group), dist.get_world_size(group)))
    out.append(("not in group", dist.get_rank(group) if rank == 0 else None))
    dist.barrier()
    try:
        dist.all_reduce("not a tensor")
    except TypeError as e:
        out.append(("error", str(e).split(".")[0][:60]))
    out.append((dist.get_backend(), dist.get_rank(), dist.get_world_size(), dist.is_initialized()))
    everything = [None] * world
    dist.all_gather_object(everything, out)
    if rank == 0:
        for r, lines in enumerate(everything):
            for line in lines:
                print(r, *line)
    dist.destroy_process_group()
    if rank == 0:
        print(dist.is_initialized())


if __name__ == "__main__":
    path = os.path.abspath("store")
    mp.start_processes(run, (path, 2), nprocs=2, start_method="fork")
    if os.path.exists(path):
        os.remove(path)
