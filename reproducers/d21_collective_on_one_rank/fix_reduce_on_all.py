"""D21: a collective stands inside `if rank == 0`, so the other ranks never call it.

barrier, all_reduce, reduce, gather, broadcast: each is a meeting of all ranks of its group, also
where only one of them needs the result. Rank 0 waits in it for ranks that have gone on, and they
wait in their next collective, which may be a backward() far from the faulty line.

Symptom: none: all ranks reduce, rank 0 prints
Needs:   torch; cpu, linux; about 3 s
Run:     python broken_metric.py; python fix_reduce_on_all.py
"""
import json
import sys
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist

num_epochs = 2


def train(rank, folder, seen):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    grad, loss = torch.ones(1), torch.ones(1)
    for epoch in range(num_epochs):
        dist.all_reduce(grad)  # stands for the backward() of a DDP model
        loss.fill_(rank + 1.0)
        dist.all_reduce(loss)  # FIX: on all ranks
        if rank == 0:
            print("epoch", epoch, "loss", loss.item())
        seen[rank, epoch] = loss[0]


if __name__ == "__main__":
    seen = torch.zeros(2, num_epochs).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder, seen), nprocs=2,
                                              start_method="fork")

    seen = seen[0].tolist()
    healthy = seen == [3.0, 3.0]
    print("OBSERVED", json.dumps({"healthy": healthy, "sum_of_losses_by_epoch": seen}))
    sys.exit(0 if healthy else 1)
