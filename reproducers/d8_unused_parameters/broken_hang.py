"""D8: the rank that used every parameter hangs in backward().

Rank 0 uses both heads and sends its bucket. Rank 1 leaves one head out, never sends, and goes on
to something else. Rank 0 waits in backward() until the timeout.

Symptom: rank 0 is in backward() for 8 s, then: Timed out waiting 8000ms for recv operation
Needs:   torch; cpu, linux; about 14 s
Run:     python broken_hang.py
"""
import json
import sys
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

num_steps = 1
torch.manual_seed(0)


class TwoTasks(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.boxes = torch.nn.Linear(4, 1)
        self.masks = torch.nn.Linear(4, 1)

    def forward(self, x, task):
        boxes = self.boxes(x)
        return boxes + self.masks(x) if task == "both" else boxes


def train(rank, folder, steps, grads):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    net = TwoTasks()
    DistributedDataParallel(torch.nn.Linear(1, 1))  # the first one may import for seconds
    patience = dist.new_group(timeout=timedelta(seconds=8))  # the default is 30 minutes
    model = DistributedDataParallel(net, process_group=patience)
    task = "both" if rank == 0 else "boxes"  # BUG: no batch of rank 1 has a mask this time
    for step in range(num_steps):
        net.zero_grad()
        x = torch.full((2, 4), float(rank + 1))
        model(x, task).mean().backward()
        steps[rank] += 1
    for column, head in enumerate([net.boxes, net.masks]):
        if head.bias.grad is not None:
            grads[rank, column] = float(head.bias.grad)
    dist.barrier()  # rank 1 is alive, so rank 0 gets no error before the time is up


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
