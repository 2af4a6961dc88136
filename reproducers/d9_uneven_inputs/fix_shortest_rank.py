"""D9: all ranks stop after as many steps as the shortest rank has.

Each rank tells the others its number of batches before the epoch, and all take the smallest of
these numbers. No sample is counted twice; the longer ranks leave their last batches out.

Symptom: none: both ranks take 5 steps
Needs:   torch; cpu, linux; about 6 s
Run:     python fix_shortest_rank.py
"""
import json
import sys
import tempfile
from datetime import timedelta
from itertools import islice

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader

dataset = torch.ones(11, 1)


def batches_of_all_ranks(loader):
    """The number of batches of every rank. Call this on all ranks, before the first step."""
    lengths = [None] * dist.get_world_size()
    dist.all_gather_object(lengths, len(loader))
    return lengths


def train(rank, folder, steps):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    model = DistributedDataParallel(torch.nn.Linear(1, 1))
    loader = DataLoader(dataset[rank::2])
    num_steps = min(batches_of_all_ranks(loader))  # FIX: the same number on every rank
    for x in islice(loader, num_steps):
        model(x).mean().backward()
        steps[rank] += 1


if __name__ == "__main__":
    steps = torch.zeros(2, dtype=torch.int64).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder, steps), nprocs=2,
                                              start_method="fork")

    steps = steps.tolist()
    healthy = steps == [5, 5]
    print("OBSERVED", json.dumps({"healthy": healthy, "steps_by_rank": steps}))
    sys.exit(0 if healthy else 1)
