"""D10: how to see whether BatchNorm describes the same data on all ranks.

After one training step and before the next, a rank's running mean contains a tenth of its own last
batch. If these means are far apart, the ranks see different data.

Symptom: none: 0.0 and 0.0 with equal data, 0.0 and 1.0 with data of mean 0 and 10
Needs:   torch; cpu, linux; about 6 s
Run:     python fix_compare_ranks.py
"""
import json
import sys
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

datas = ["same data", "other data"]
half = torch.ones(32, 1)
same_batch = [torch.cat([half, -half])] * 2
other_batch = [torch.cat([half, -half]), torch.cat([half, -half]) + 10]


def running_means(model):
    """The running means of the first BatchNorm layer on each rank. Call this on all ranks."""
    mine = next(b for name, b in model.named_buffers() if name.endswith("running_mean"))
    everyone = [None] * dist.get_world_size()
    dist.all_gather_object(everyone, mine.tolist())
    return everyone


def train(rank, folder, seen):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    for row, batch_by_rank in enumerate([same_batch, other_batch]):
        model = DistributedDataParallel(torch.nn.BatchNorm1d(1))
        model(batch_by_rank[rank]).sum().backward()
        seen[rank, row] = torch.tensor(running_means(model)).flatten()  # FIX: after a step


if __name__ == "__main__":
    seen = torch.zeros(2, 2, 2).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder, seen), nprocs=2,
                                              start_method="fork")

    by_rank_0, by_rank_1 = [[[round(mean, 2) for mean in row] for row in one]
                            for one in seen.tolist()]
    same, other = by_rank_0
    healthy = by_rank_0 == by_rank_1 and same[0] == same[1] and other[1] - other[0] > 0.9
    print("OBSERVED", json.dumps({"healthy": healthy, "datas": datas,
                                  "running_mean_by_data_and_rank": by_rank_0}))
    sys.exit(0 if healthy else 1)
