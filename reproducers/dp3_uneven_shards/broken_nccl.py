"""DP3: with NCCL, rank 1 stops in its 6th step until the watchdog ends its process.

backward() of a DDP model averages the gradients with all other ranks. With NCCL it only queues
that on the GPU and returns, so the rank stops at the next synchronisation, until the watchdog
ends its process at the timeout.

Symptom: Watchdog caught collective operation timeout
Needs:   torch; cuda; about 20 s
Run:     python broken_nccl.py; python fix_nccl.py; diff broken_nccl.py fix_nccl.py
"""
import json
import os
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
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=20))
    model = DistributedDataParallel(torch.nn.Linear(4, 1).cuda(), device_ids=[rank])
    loader = DataLoader(Shard(samples_by_rank[rank]), batch_size=batch_size)
    for batch in loader:  # BUG: 5 times on rank 0, 7 times on rank 1
        model(batch.cuda()).mean().backward()
        torch.cuda.synchronize()  # nccl waits on the GPU: without this the step only seems done
        steps[rank] += 1
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    if torch.cuda.device_count() < 2:
        print("SKIPPED nccl needs a GPU for each of the 2 ranks")
        sys.exit(77)
    os.environ["NCCL_ASYNC_ERROR_HANDLING"] = "1"  # the default from torch 2.2 on
    steps = torch.zeros(2, dtype=torch.int64).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.spawn(train, args=(folder, steps), nprocs=2)

    steps = steps.tolist()
    healthy = steps[0] == steps[1] > 0
    print("OBSERVED", json.dumps({"healthy": healthy, "steps_by_rank": steps}))
    sys.exit(0 if healthy else 1)
