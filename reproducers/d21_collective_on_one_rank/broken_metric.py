"""D21: an all_reduce inside the logging branch of rank 0 is averaged with a gradient.

Rank 1 does not call it. Its next collective is the gradient all-reduce of the next step, which has
the same size here, so the two are added up without an error. From then on rank 0 is one collective
ahead, and its last one has no partner.

Symptom: rank 0 logs a wrong loss (0.5 instead of 1.5), and fails in a later backward()
Needs:   torch; cpu, linux; about 6 s
Run:     python broken_metric.py; python fix_reduce_on_all.py
"""
import json
import sys
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

num_steps, log_every = 6, 2


def train(rank, folder, logged):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    model = DistributedDataParallel(torch.nn.Linear(1, 1, bias=False))
    for step in range(num_steps):
        loss = (0 * model(torch.ones(4, 1)) + rank + 1).mean()  # 1 on rank 0, 2 on rank 1
        loss.backward()
        if step % log_every == 1 and rank == 0:
            total = loss.detach().clone()
            dist.all_reduce(total)  # BUG: rank 1 has to call this as well
            logged[step // log_every] = total / dist.get_world_size()
            print("step", step, "loss", total.item() / dist.get_world_size(), flush=True)


if __name__ == "__main__":
    logged = torch.zeros(num_steps // log_every).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder, logged), nprocs=2,
                                              start_method="fork")

    logged = logged.tolist()
    healthy = logged == [1.5] * len(logged)
    print("OBSERVED", json.dumps({"healthy": healthy, "logged_mean_loss": logged}))
    sys.exit(0 if healthy else 1)
