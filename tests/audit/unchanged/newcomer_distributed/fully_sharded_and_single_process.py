# FSDP2 and a device mesh on gloo: DTensor parameters, local shards, clipping, a full state dict, comm hooks of DDP.
# needs: torch>=2.6
import os
import warnings

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn

warnings.simplefilter("ignore")


def run(rank, path):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method="file://" + path, rank=rank, world_size=2)
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    torch.manual_seed(0)
    mesh = init_device_mesh("cpu", (2,))
    net = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 2))
    for m in (net[0], net[2], net):
        fully_shard(m, mesh=mesh)
    opt = torch.optim.Adam(net.parameters(), lr=0.05)
    lines = []
    for i in range(3):
        loss = net(torch.full((2, 4), float(i + rank))).pow(2).sum()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        opt.zero_grad()
        lines.append((loss.item().hex(), type(norm).__name__, norm.full_tensor().item().hex()))
    w = net[0].weight
    lines.append((type(w).__name__, tuple(w.shape), tuple(w.to_local().shape), str(w.placements), type(net).__name__))
    ddp = nn.parallel.DistributedDataParallel(nn.Linear(1, 1))
    seen = []

    def hook(state, bucket):
        seen.append(bucket.buffer().numel())
        return dist.all_reduce(bucket.buffer(), async_op=True).get_future().then(lambda f: f.value()[0] / 2)

    ddp.register_comm_hook(None, hook)
    ddp(torch.ones(1, 1)).sum().backward()
    lines.append((seen, ddp.module.weight.grad.item()))
    all_ = [None, None]
    dist.all_gather_object(all_, lines)
    if rank == 0:
        for r, ls in enumerate(all_):
            for line in ls:
                print(r, *line)
    dist.destroy_process_group()


if __name__ == "__main__":
    path = os.path.abspath("store")
    mp.start_processes(run, (path,), nprocs=2, start_method="fork")
    if os.path.exists(path):
        os.remove(path)
