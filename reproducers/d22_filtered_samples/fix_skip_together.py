"""D22: if the loss is bad on one rank, all ranks skip that step.

The ranks exchange a flag before backward(). The flag is true everywhere if it is true anywhere, so
all ranks take the same decision.

Symptom: none: rank 0 has a NaN loss in step 1; both ranks skip that step and take the other 3
Needs:   torch; cpu, linux; about 6 s
Run:     python fix_skip_together.py
"""
import json
import sys
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

batches_by_rank = [[1.0, float("nan"), 1.0, 1.0], [1.0, 1.0, 1.0, 1.0]]
num_steps = 4


def any_rank(flag, device):
    """Whether flag is true on at least one rank. Call this on all ranks, in every step."""
    flag = torch.tensor(float(flag), device=device)
    dist.all_reduce(flag, op=dist.ReduceOp.MAX)
    return bool(flag.item())


def train(rank, folder, steps):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    model = DistributedDataParallel(torch.nn.Linear(1, 1))
    for value in batches_by_rank[rank]:
        loss = model(torch.full((2, 1), value)).mean()
        if any_rank(not torch.isfinite(loss), loss.device):  # FIX: all ranks skip, or none
            continue
        loss.backward()
        steps[rank] += 1


if __name__ == "__main__":
    steps = torch.zeros(2, dtype=torch.int64).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder, steps), nprocs=2,
                                              start_method="fork")

    steps = steps.tolist()
    healthy = steps == [num_steps - 1] * 2
    print("OBSERVED", json.dumps({"healthy": healthy, "steps_by_rank": steps}))
    sys.exit(0 if healthy else 1)
