"""D8: before torch 1.10 the flag does not cover an output that is returned but not used.

find_unused_parameters=True looks at what forward() returns. Both heads are in it, so none counts
as unused, and then the loss leaves one of them out.

Symptom: torch 1.8 and 1.9: the same error as without the flag; torch 1.10 and later: none
Needs:   torch; cpu, linux; about 6 s
Run:     python trap_output_left_out.py
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
        return self.boxes(x), self.masks(x)


def train(rank, folder, steps, grads):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    net = TwoTasks()
    model = DistributedDataParallel(net, find_unused_parameters=True)
    task = "boxes" if rank == 0 else "masks"
    for step in range(num_steps):
        net.zero_grad()
        x = torch.full((2, 4), float(rank + 1))
        boxes, masks = model(x, task)
        loss = boxes if task == "boxes" else masks  # BUG: the other output is dropped here
        loss.mean().backward()
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
