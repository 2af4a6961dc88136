"""D8: the flag does not find tensors inside an object of a plain class.

find_unused_parameters=True looks for tensors in the tuples, lists and dicts that forward()
returns. It does not look into an object of a plain class, so it treats every parameter as
unused and marks it as ready; then backward() marks it a second time.

Symptom: RuntimeError: Expected to mark a variable ready only once
Needs:   torch; cpu, linux; about 6 s
Run:     python trap_output_in_object.py
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


class Output:
    def __init__(self, score):
        self.score = score


class TwoTasks(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.boxes = torch.nn.Linear(4, 1)
        self.masks = torch.nn.Linear(4, 1)

    def forward(self, x, task):
        score = self.boxes(x) if task == "boxes" else self.masks(x)
        return Output(score)  # BUG: DDP looks into tensors, tuples, lists, dicts; not in here


def train(rank, folder, steps, grads):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    net = TwoTasks()
    model = DistributedDataParallel(net, find_unused_parameters=True)
    task = "boxes" if rank == 0 else "masks"
    for step in range(num_steps):
        net.zero_grad()
        x = torch.full((2, 4), float(rank + 1))
        model(x, task).score.mean().backward()
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
