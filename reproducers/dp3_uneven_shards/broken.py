"""DP3: rank 0 has 5 batches and leaves, and rank 1 fails in its 6th backward().

backward() of a DDP model averages the gradients with all other ranks and returns when all of them
have called it. So all ranks must take the same number of steps. The shards of an IterableDataset
need not have the same length.

Symptom: RuntimeError: [...] Connection closed by peer, or Read error: Connection reset by peer
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
from torch.utils.data import DataLoader, IterableDataset

samples_by_rank = [10, 14]
batch_size = 2


class Shard(IterableDataset):
    """The records of one rank's own files."""

    def __init__(self, num_samples):
        self.num_samples = num_samples

    def __iter__(self):
        return (torch.ones(4) for _ in range(self.num_samples))


def train(rank, folder, steps):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    model = DistributedDataParallel(torch.nn.Linear(4, 1))
    loader = DataLoader(Shard(samples_by_rank[rank]), batch_size=batch_size)
    for batch in loader:  # BUG: 5 times on rank 0, 7 times on rank 1
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
