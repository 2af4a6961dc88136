"""DP3: a metric that is matched with a gradient of a different size aborts the process.

Collectives are matched by their order, not by their meaning. A rank with fewer batches leaves its
loop, and its next collective is matched with the gradients of a rank that is still in the loop.

Symptom: terminate called after throwing an instance of 'gloo::EnforceNotMet'
Needs:   torch; cpu, linux; about 6 s
Run:     python broken_metric_abort.py
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
    for batch in loader:
        model(batch).mean().backward()
        steps[rank] += 1
    seen = torch.tensor([float(samples_by_rank[rank])])
    dist.all_reduce(seen)  # BUG: rank 0 is here while rank 1 still averages a gradient


if __name__ == "__main__":
    steps = torch.zeros(2, dtype=torch.int64).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder, steps), nprocs=2,
                                              start_method="fork")

    steps = steps.tolist()
    healthy = steps[0] == steps[1] > 0
    print("OBSERVED", json.dumps({"healthy": healthy, "steps_by_rank": steps}))
    sys.exit(0 if healthy else 1)
