"""D9: one Join context covers two models, and can average over the remaining ranks only.

With divide_by_initial_world_size=False the gradients of a late step are divided by the number of
ranks that still have data.

Symptom: none: 6 and 5 steps, equal weights; the 6th gradient is 1.0
Needs:   torch; cpu, linux; about 6 s
Run:     python fix_join_two_models.py
"""
import json
import sys
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.algorithms.join import Join
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader

dataset = torch.ones(11, 1)


def train(rank, folder, grads, weights):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    net = torch.nn.Linear(1, 1, bias=False)
    net.weight.data.zero_()
    model = DistributedDataParallel(net)
    critic = DistributedDataParallel(torch.nn.Linear(1, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=1.0)
    loader = DataLoader(dataset[rank::2])
    # FIX: one Join for all models; a late step is averaged over the ranks that still have data
    with Join([model, critic], divide_by_initial_world_size=False):
        for step, x in enumerate(loader):
            optimizer.zero_grad()
            model(x).mean().backward()
            optimizer.step()  # dpkb: ignore[O2]
            grads[rank, step] = net.weight.grad.item()
            critic(x).mean().backward()
    weights[rank] = net.weight.item()


if __name__ == "__main__":
    grads = torch.zeros(2, 6).share_memory_()  # 0: no such step
    weights = torch.zeros(2).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder, grads, weights), nprocs=2,
                                              start_method="fork")

    steps = [int((row > 0).sum()) for row in grads]
    same = bool(weights[0] == weights[1])
    healthy = steps == [6, 5] and same
    print("OBSERVED", json.dumps({"healthy": healthy, "steps_by_rank": steps, "same_weights": same,
                                  "grad_by_rank_and_step": grads.tolist()}))
    sys.exit(0 if healthy else 1)
