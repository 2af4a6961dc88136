"""D8: with DDP, the loss of some rank does not depend on all parameters.

DDP averages gradients in buckets. It sends a bucket when the last parameter in it has a gradient.
A parameter that this rank's loss does not depend on never gets one, so the bucket is never sent:
this rank keeps its own gradients, and a rank that did use everything waits.

Symptom: RuntimeError: Expected to have finished reduction in the prior iteration, in the 2nd step
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

num_steps = 3
torch.manual_seed(0)


class TwoTasks(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.boxes = torch.nn.Linear(4, 1)
        self.masks = torch.nn.Linear(4, 1)

    def forward(self, x, task):
        return self.boxes(x) if task == "boxes" else self.masks(x)


def train(rank, folder, steps, grads):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    net = TwoTasks()
    model = DistributedDataParallel(net)
    task = "boxes" if rank == 0 else "masks"  # BUG: one head has no gradient
    for step in range(num_steps):
        net.zero_grad()
        x = torch.full((2, 4), float(rank + 1))
        model(x, task).mean().backward()
        steps[rank] += 1
    for column, head in enumerate([net.boxes, net.masks]):
        if head.bias.grad is not None:
            grads[rank, column] = float(head.bias.grad)


if __name__ == "__main__":
    steps = torch.zeros(2, dtype=torch.int64).share_memory_()
    grads = torch.full((2, 2), -1.0).share_memory_()  # -1: none
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder, steps, grads), nprocs=2,
                                              start_method="fork")

    steps, grads = steps.tolist(), grads.tolist()
    healthy = steps == [num_steps] * 2 and grads == [[0.5, 0.5], [0.5, 0.5]]
    print("OBSERVED", json.dumps({"healthy": healthy, "steps_by_rank": steps,
                                  "grad_by_rank_and_head": grads}))
    sys.exit(0 if healthy else 1)
