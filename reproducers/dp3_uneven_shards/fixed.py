"""DP3: all ranks stop together as soon as one of them has no batch left.

Before each step all ranks reduce a flag with MIN: 1 with a batch, 0 without. If one rank has no
batch left, all ranks read 0 and stop. The flag uses a gloo group on the CPU, so no rank waits for
its GPU.

Symptom: none: 5 steps on each rank
Needs:   torch; cpu, linux; about 6 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
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

    def __iter__(self):
        return (torch.ones(4) for _ in range(self.num_samples))


def until_one_runs_out(loader, group):  # FIX: every rank asks before each step
    for batch in itertools.chain(loader, [None]):
        have = torch.tensor(0 if batch is None else 1)
        dist.all_reduce(have, op=dist.ReduceOp.MIN, group=group)
        if not have:
            return
        yield batch


def train(rank, folder, steps):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    model = DistributedDataParallel(torch.nn.Linear(4, 1))
    loader = DataLoader(Shard(samples_by_rank[rank]), batch_size=batch_size)
    flags = dist.new_group(backend="gloo")  # FIX: on the CPU, also if DDP uses nccl
    for batch in until_one_runs_out(loader, flags):
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
