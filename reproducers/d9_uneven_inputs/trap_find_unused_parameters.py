"""D9: find_unused_parameters=True does not help against unequal numbers of steps.

The flag is for parameters without a gradient. Here a whole step has no partner.

Symptom: rank 0 fails in the same 6th backward() as without the flag
Needs:   torch; cpu, linux; about 6 s
Run:     python trap_find_unused_parameters.py
"""
import json
import sys
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader

dataset = torch.ones(11, 1)


def train(rank, folder, grads, weights):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    net = torch.nn.Linear(1, 1, bias=False)
    net.weight.data.zero_()
    model = DistributedDataParallel(net, find_unused_parameters=True)  # BUG: does not help here
    optimizer = torch.optim.SGD(net.parameters(), lr=1.0)
    loader = DataLoader(dataset[rank::2])
    for step, x in enumerate(loader):  # BUG: 6 times on rank 0, 5 times on rank 1
        optimizer.zero_grad()
        model(x).mean().backward()
        optimizer.step()
        grads[rank, step] = net.weight.grad.item()
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
