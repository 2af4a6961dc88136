"""D8: 0 times the other head's output gives every parameter a gradient.

Every parameter is part of the graph on every rank, with a gradient of 0 where a head has nothing
to learn from this batch. Every bucket is complete, so DDP needs no flag.

Symptom: none: all 3 steps run without find_unused_parameters, and the averages are right
Needs:   torch; cpu, linux; about 6 s
Run:     python fix_use_everything.py
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
        boxes, masks = self.boxes(x), self.masks(x)
        if task == "boxes":
            return boxes + 0 * masks.sum()  # FIX: a gradient of 0 instead of none
        return masks + 0 * boxes.sum()  # FIX


def train(rank, folder, steps, grads):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    net = TwoTasks()
    model = DistributedDataParallel(net)
    task = "boxes" if rank == 0 else "masks"
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
