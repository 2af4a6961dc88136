"""DP3: the ranks of a DDP job get unequal numbers of batches from an IterableDataset.

backward() averages the gradients with the other ranks, so every rank has to call it equally
often. A sampler sees to that for map-style data; nothing does for a stream that each rank
reads from its own shard. The rank with the longer shard waits for one that has left.

Symptom: none: both ranks take 5 steps, no length is asked for
Needs:   torch; cpu, linux; about 6 s
Run:     python fix_flag.py
"""
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


def train(rank, folder, steps):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    model = DistributedDataParallel(torch.nn.Linear(4, 1))
    loader = DataLoader(Shard(samples_by_rank[rank]), batch_size=batch_size)
    batches = iter(loader)
    while True:
        batch = next(batches, None)
        have = torch.tensor(0 if batch is None else 1)
        dist.all_reduce(have, op=dist.ReduceOp.MIN)  # FIX: ask in every step
        if not have:  # FIX: one rank has none left: all stop here
            break
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
