"""D21: a collective stands inside `if rank == 0`, so the other ranks never call it.

barrier, all_reduce, reduce, gather, broadcast: each is a meeting of all ranks of its group, also
where only one of them needs the result. Rank 0 waits in it for ranks that have gone on, and they
wait in their next collective, which may be a backward() far from the faulty line.

Symptom: a hang in the first epoch that saves; rank 0 stands in barrier(), rank 1 in all_reduce
Needs:   torch; cpu, linux; about 11 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
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
    step_group = dist.new_group(timeout=timedelta(seconds=8))  # 30 minutes unless told
    grad = torch.ones(1)
    for epoch in range(num_epochs):
        dist.all_reduce(grad, group=step_group)  # stands for the backward() of a DDP model
        if rank == 0:
            torch.save({"epoch": epoch}, folder + "/checkpoint.pt")
            dist.barrier()  # BUG: rank 1 does not come here
        seen[rank] += 1


if __name__ == "__main__":
    seen = torch.zeros(2).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder, seen), nprocs=2,
                                              start_method="fork")

    seen = seen.tolist()
    healthy = seen == [num_epochs] * 2
    print("OBSERVED", json.dumps({"healthy": healthy, "epochs_by_rank": seen}))
    sys.exit(0 if healthy else 1)
