"""DP3: all ranks take as many steps as the longest shard has.

The ranks agree on a number of steps before the epoch, so that all of them call backward() equally
often. len(loader) must be what the loader returns on this rank.

Symptom: none: 7 steps on each rank
Needs:   torch; cpu, linux; about 6 s
Run:     python fix_cycle.py
"""
import itertools
import json
import sys
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, IterableDataset

samples_by_rank = [10, 14]
batch_size = 2


class Shard(IterableDataset):
    """The records of one rank's own files."""

    def __init__(self, num_samples):
        self.num_samples = num_samples

    def __len__(self):
        return self.num_samples

    def __iter__(self):
        return (torch.ones(4) for _ in range(self.num_samples))


def again_and_again(loader):
    """Not itertools.cycle, which would keep every batch."""
    while True:
        yield from loader


def train(rank, folder, steps):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    model = DistributedDataParallel(torch.nn.Linear(4, 1))
    loader = DataLoader(Shard(samples_by_rank[rank]), batch_size=batch_size)
    most = torch.tensor(len(loader))
    dist.all_reduce(most, op=dist.ReduceOp.MAX)  # FIX: the length of the longest shard
    for batch in itertools.islice(again_and_again(loader), int(most)):  # FIX
        model(batch).mean().backward()
        steps[rank] += 1


if __name__ == "__main__":
    steps = torch.zeros(2, dtype=torch.int64).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder, steps), nprocs=2,
                                              start_method="fork")

    steps = steps.tolist()
    healthy = steps[0] == steps[1] > 0
    print("OBSERVED", json.dumps({"healthy": healthy, "steps_by_rank": steps}))
    sys.exit(0 if healthy else 1)
