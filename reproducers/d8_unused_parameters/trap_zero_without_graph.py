"""D8: a loss that is a fresh zero starts no reduction at all.

torch.zeros(1, requires_grad=True) is connected to no parameter, so backward() on it triggers
nothing in DDP. This rank is now one reduction behind: its step 2 is averaged with step 1 of rank
0, silently, and at the end rank 0 waits for a reduction that never comes.

Symptom: rank 0 fails in its last backward(), after rank 1 has finished and left
Needs:   torch; cpu, linux; about 6 s
Run:     python trap_zero_without_graph.py
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

    def forward(self, x):
        return self.boxes(x) + self.masks(x)


def loss_of(output, has_objects):
    if not has_objects:
        return torch.zeros(1, requires_grad=True).sum()  # BUG: backward() reaches no parameter
    return output.mean()


def train(rank, folder, steps):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    net = TwoTasks()
    model = DistributedDataParallel(net, find_unused_parameters=True)
    for step in range(num_steps):
        net.zero_grad()
        x = torch.full((2, 4), float(rank + 1))
        has_objects = not (rank == 1 and step == 1)
        loss_of(model(x), has_objects).backward()
        steps[rank] += 1


if __name__ == "__main__":
    steps = torch.zeros(2, dtype=torch.int64).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder, steps), nprocs=2,
                                              start_method="fork")

    steps = steps.tolist()
    healthy = steps == [num_steps] * 2
    print("OBSERVED", json.dumps({"healthy": healthy, "steps_by_rank": steps}))
    sys.exit(0 if healthy else 1)
