"""D10: SyncBatchNorm computes mean and variance over the batches of all ranks.

The layers exchange their sums in every training forward(), so all ranks normalise by the same
values and keep the same statistics.

Symptom: none: mean and variance are those of both ranks' data
Needs:   torch; cuda, linux; about 20 s
Run:     python fix_sync_batchnorm_cuda.py
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
    local_rank = rank  # one machine here; with torchrun: int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    net = torch.nn.Sequential(torch.nn.Linear(1, 1), torch.nn.BatchNorm1d(1))
    net[0].weight.data.fill_(1.0)
    net[0].bias.data.zero_()
    net = torch.nn.SyncBatchNorm.convert_sync_batchnorm(net).cuda()  # FIX: before DDP
    model = DistributedDataParallel(net, device_ids=[local_rank])
    for step in range(num_steps):
        model(batch_by_rank[rank].cuda()).sum().backward()
    stats[0, rank], stats[1, rank] = net[1].running_mean[0], net[1].running_var[0]
    dist.destroy_process_group()


if __name__ == "__main__":
    if torch.cuda.device_count() < 2:
        print("SKIPPED nccl needs a GPU for each of the 2 ranks")
        sys.exit(77)
    stats = torch.zeros(2, 2).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.spawn(train, args=(folder, stats), nprocs=2)

    means, variances = [[round(value, 2) for value in row] for row in stats.tolist()]
    healthy = (all(abs(mean - mean_of_all) < 0.5 for mean in means)
               and all(abs(var - var_of_all) < 2.6 for var in variances))
    print("OBSERVED", json.dumps({"healthy": healthy, "running_mean_by_rank": means,
                                  "running_var_by_rank": variances, "mean_of_all": mean_of_all,
                                  "var_of_all": var_of_all}))
    sys.exit(0 if healthy else 1)
