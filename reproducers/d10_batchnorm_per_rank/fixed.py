"""D10: BatchNorm statistics kept per rank are merged before validation.

With broadcast_buffers=False each rank keeps the statistics of its own data. E[x] and E[x^2] can be
averaged over the ranks; the variance follows from them.

Symptom: none: mean 4.97 and variance 25.76 on both ranks, where those of all data are 5 and 26
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


def merge_batchnorm(model):  # FIX: a mean can be averaged over the ranks, a variance cannot
    for norm in model.modules():
        if getattr(norm, "running_mean", None) is not None:
            both = torch.stack([norm.running_mean, norm.running_var + norm.running_mean ** 2])
            dist.all_reduce(both)
            mean, mean_of_squares = both / dist.get_world_size()
            norm.running_mean.copy_(mean)
            norm.running_var.copy_(mean_of_squares - mean ** 2)


def train(rank, folder, stats):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    net = torch.nn.Sequential(torch.nn.Linear(1, 1), torch.nn.BatchNorm1d(1))
    net[0].weight.data.fill_(1.0)
    net[0].bias.data.zero_()
    model = DistributedDataParallel(net, broadcast_buffers=False)  # FIX: keep each rank's
    for step in range(num_steps):
        model(batch_by_rank[rank]).sum().backward()
    merge_batchnorm(model)  # FIX: on all ranks, before validating or saving
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
