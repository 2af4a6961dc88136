"""D21: rank 0 decides to stop early, and broadcasts its decision.

If only rank 0 leaves the loop, the other ranks wait in the backward() of their next step. Every
rank receives rank 0's decision and leaves in the same epoch.

Symptom: none: both ranks stop after 2 of 5 epochs
Needs:   torch; cpu, linux; about 6 s
Run:     python fix_stop_together.py
"""
import json
import sys
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

num_epochs = 5
validation_losses = [1.0, 1.2, 1.3, 1.4, 1.5]  # known to rank 0 only


def should_stop(rank, epoch):
    """Rank 0's decision, on every rank. Call this on all ranks."""
    worse = rank == 0 and epoch > 0 and validation_losses[epoch] > validation_losses[epoch - 1]
    decision = [worse]
    dist.broadcast_object_list(decision, src=0)  # FIX: the other ranks learn it
    return decision[0]


def train(rank, folder, epochs):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    model = DistributedDataParallel(torch.nn.Linear(1, 1))
    for epoch in range(num_epochs):
        model(torch.ones(4, 1)).mean().backward()
        epochs[rank] += 1
        if should_stop(rank, epoch):
            break


if __name__ == "__main__":
    epochs = torch.zeros(2, dtype=torch.int64).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder, epochs), nprocs=2,
                                              start_method="fork")

    epochs = epochs.tolist()
    healthy = epochs == [2, 2]
    print("OBSERVED", json.dumps({"healthy": healthy, "epochs_by_rank": epochs}))
    sys.exit(0 if healthy else 1)
