"""D10: under DDP, BatchNorm statistics describe the data of rank 0 only.

BatchNorm computes mean and variance from the batch of its own rank. DDP averages gradients, not
statistics: before each training forward(), rank 0's buffers overwrite everyone else's. The
statistics that you validate with and save come from the data of rank 0 only.

Symptom: running_mean is 0.0 on rank 0 and 1.0 on rank 1; the mean of all data is 5.0
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

num_steps = 50
half = torch.ones(32, 1)
batch_by_rank = [torch.cat([half, -half]), torch.cat([half, -half]) + 10]
mean_of_all, var_of_all = 5.0, 26.0


def train(rank, folder, stats):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    net = torch.nn.Sequential(torch.nn.Linear(1, 1), torch.nn.BatchNorm1d(1))
    net[0].weight.data.fill_(1.0)
    net[0].bias.data.zero_()
    model = DistributedDataParallel(net)  # BUG: rank 0's statistics win
    for step in range(num_steps):
        model(batch_by_rank[rank]).sum().backward()
    stats[0, rank], stats[1, rank] = net[1].running_mean[0], net[1].running_var[0]


if __name__ == "__main__":
    stats = torch.zeros(2, 2).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder, stats), nprocs=2,
                                              start_method="fork")

    means, variances = [[round(value, 2) for value in row] for row in stats.tolist()]
    healthy = (all(abs(mean - mean_of_all) < 0.5 for mean in means)
               and all(abs(var - var_of_all) < 2.6 for var in variances))
    print("OBSERVED", json.dumps({"healthy": healthy, "running_mean_by_rank": means,
                                  "running_var_by_rank": variances, "mean_of_all": mean_of_all,
                                  "var_of_all": var_of_all}))
    sys.exit(0 if healthy else 1)
