# needs: torch>=2.6
# fully_shard on two ranks, with clipping.
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def run(rank, file, queue):
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    dist.init_process_group("gloo", init_method="file://" + file, rank=rank, world_size=2)
    torch.manual_seed(0)
    mesh = init_device_mesh("cpu", (2,))
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 2))
    for part in model:
        fully_shard(part, mesh=mesh)
    fully_shard(model, mesh=mesh)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    for _ in range(3):
        loss = torch.nn.functional.cross_entropy(model(torch.ones(4, 4)), torch.tensor([0, 1, 0, 1]))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    if rank == 0:
        queue.put(loss.item().hex())
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    queue = mp.get_context("spawn").SimpleQueue()
    mp.spawn(run, (tempfile.mktemp(), queue), 2)
    print(queue.get())
