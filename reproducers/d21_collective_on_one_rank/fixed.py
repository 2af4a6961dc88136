"""D21: rank 0 saves alone, and all ranks call the barrier.

Only the side effect is inside `if rank == 0`. The barrier is outside, so every rank calls it, and
the file exists when it returns.

Symptom: none: both ranks finish both epochs
Needs:   torch; cpu, linux; about 6 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

num_epochs = 2


def train(rank, folder, seen):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    DistributedDataParallel(torch.nn.Linear(1, 1))  # the first one may import for seconds
    patience = dist.new_group(timeout=timedelta(seconds=8))  # the default is 30 minutes
    model = DistributedDataParallel(torch.nn.Linear(1, 1), process_group=patience)
    checkpoint_path = folder + "/checkpoint.pt"
    for epoch in range(num_epochs):
        model(torch.ones(4, 1)).mean().backward()
        if rank == 0:
            torch.save(model.module.state_dict(), checkpoint_path)
        dist.barrier()  # FIX: every rank calls it, and leaves it when the file is written
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
