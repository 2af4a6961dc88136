"""M1: a second card does not hold half of the model under DDP.

DistributedDataParallel keeps the whole model, its gradients and its optimizer state on each rank.
Only the batch is divided.

Symptom: two ranks, and each has all 1056 numbers of the model and 2112 of Adam
Needs:   torch; cpu, linux; about 5 s
Run:     python trap_ddp_second_card.py
"""
import json
import multiprocessing
import sys
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

world_size = 2


def train(rank, folder, numbers):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=world_size, timeout=timedelta(seconds=20))
    torch.manual_seed(0)
    model = DistributedDataParallel(torch.nn.Linear(32, 32))  # BUG: the whole model on each rank
    optimizer = torch.optim.Adam(model.parameters())
    model(torch.ones(4, 32)).mean().backward()
    optimizer.step()
    states = [state[name] for state in optimizer.state.values()
              for name in ("exp_avg", "exp_avg_sq")]
    numbers.put((rank, sum(p.numel() for p in model.parameters()),
                 sum(state.numel() for state in states)))


if __name__ == "__main__":
    fork = multiprocessing.get_context("fork")
    numbers = fork.SimpleQueue()
    with tempfile.TemporaryDirectory() as folder:
        ranks = [fork.Process(target=train, args=(rank, folder, numbers))
                 for rank in range(world_size)]
        for process in ranks:
            process.start()
        seen = sorted(numbers.get() for _ in ranks)
        for process in ranks:
            process.join()

    model_numbers = sum(p.numel() for p in torch.nn.Linear(32, 32).parameters())
    healthy = all(weights <= model_numbers / world_size for _, weights, _ in seen)
    print("OBSERVED", json.dumps({"healthy": healthy, "weights_by_rank": [w for _, w, _ in seen],
                                  "adam_by_rank": [state for _, _, state in seen]}))
    sys.exit(0 if healthy else 1)
