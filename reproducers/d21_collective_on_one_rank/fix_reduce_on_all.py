"""D21: all ranks reduce the loss, and rank 0 prints it.

The condition that surrounds the all_reduce is the same on all ranks; only the print is inside
`if rank == 0`.

Symptom: none: rank 0 logs the mean loss 1.5 every time
Needs:   torch; cpu, linux; about 6 s
Run:     python broken_metric.py; python fix_reduce_on_all.py
"""
import json
import sys
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

num_steps, log_every = 6, 2


def train(rank, folder, logged):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    model = DistributedDataParallel(torch.nn.Linear(1, 1, bias=False))
    for step in range(num_steps):
        loss = (0 * model(torch.ones(4, 1)) + rank + 1).mean()  # 1 on rank 0, 2 on rank 1
        loss.backward()
        if step % log_every == 1:
            total = loss.detach().clone()
            dist.all_reduce(total)  # FIX: on all ranks
            if rank == 0:
                logged[step // log_every] = total / dist.get_world_size()
                print("step", step, "loss", total.item() / dist.get_world_size(), flush=True)


if __name__ == "__main__":
    logged = torch.zeros(num_steps // log_every).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder, logged), nprocs=2,
                                              start_method="fork")

    logged = logged.tolist()
    healthy = logged == [1.5] * len(logged)
    print("OBSERVED", json.dumps({"healthy": healthy, "logged_mean_loss": logged}))
    sys.exit(0 if healthy else 1)
