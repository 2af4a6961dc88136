"""D9: batches may differ in size between the ranks; only their number has to agree.

The last batch has 4 samples on rank 0 and 1 on rank 1. DDP averages the two mean gradients, so the
single sample weighs as much as the four.

Symptom: none: both ranks take 3 steps and have the same gradient
Needs:   torch; cpu, linux; about 6 s
Run:     python fix_ragged_last_batch.py
"""
import json
import sys
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

sizes_by_rank_and_step = [[4, 4, 4], [4, 4, 1]]  # FIX: equally many batches; sizes may differ


def train(rank, folder, steps, grads):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    net = torch.nn.Linear(1, 1, bias=False)
    model = DistributedDataParallel(net)
    for size in sizes_by_rank_and_step[rank]:
        net.zero_grad()
        model(torch.full((size, 1), float(rank + 1))).mean().backward()
        steps[rank] += 1
    grads[rank] = net.weight.grad.item()


if __name__ == "__main__":
    steps = torch.zeros(2, dtype=torch.int64).share_memory_()
    grads = torch.zeros(2).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder, steps, grads), nprocs=2,
                                              start_method="fork")

    steps, grads = steps.tolist(), grads.tolist()
    healthy = steps == [3, 3] and grads == [1.5, 1.5]  # the single sample counts as much as 4
    print("OBSERVED", json.dumps({"healthy": healthy, "steps_by_rank": steps,
                                  "last_grad_by_rank": grads}))
    sys.exit(0 if healthy else 1)
