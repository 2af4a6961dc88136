"""D40: one seed on all ranks, so dropout drops the same units on both.

The masks come from the default generator too.

Symptom: no error: equal masks in 4 of 4 steps
Needs:   torch; cpu, linux; about 3 s
Run:     python broken_dropout.py; python fix_dropout.py
"""
import json
import sys
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

seed, steps = 0, 4


def train(rank, folder, masks):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    torch.manual_seed(seed)  # BUG: also for dropout
    net = nn.Sequential(nn.Linear(4, 32), nn.Dropout(0.5), nn.Linear(32, 1))
    net[1].register_forward_hook(lambda module, args, output: kept.append(output == 0))
    model = DistributedDataParallel(net)
    kept = []
    for step in range(steps):
        model(torch.randn(8, 4)).mean().backward()
    masks[rank] = torch.stack(kept)


if __name__ == "__main__":
    masks = torch.zeros(2, steps, 8, 32, dtype=torch.bool).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder, masks), nprocs=2,
                                              start_method="fork")

    equal = sum(torch.equal(masks[0, step], masks[1, step]) for step in range(steps))
    healthy = equal == 0
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": steps,
                                  "steps_with_equal_masks": equal}))
    sys.exit(0 if healthy else 1)
