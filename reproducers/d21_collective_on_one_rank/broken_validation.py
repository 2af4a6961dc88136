"""D21: the forward() of a DDP model can contain a collective, also in eval mode.

A DDP model with buffers broadcasts them from rank 0 in the first forward() after a training step.
If only rank 0 validates, rank 1 receives that broadcast in the place of another collective.

Symptom: validation on rank 0 only breaks the next training step, with no collective in sight
Needs:   torch; cpu, linux; about 6 s
Run:     python broken_validation.py; python fix_validate_the_module.py
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
                            world_size=2, timeout=timedelta(seconds=20))
    net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2))
    model = DistributedDataParallel(net)
    for epoch in range(num_epochs):
        model.train()
        model(torch.randn(4, 2)).sum().backward()
        if rank == 0:
            model.eval()
            with torch.no_grad():
                model(torch.randn(4, 2))  # BUG: broadcasts the buffers
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
