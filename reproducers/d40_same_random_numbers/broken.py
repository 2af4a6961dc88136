"""D40: one seed on all ranks, so both draw the same noise.

manual_seed() makes the generators of both ranks equal. In each step they add the same noise, and a
step over 16 samples has seen 8 draws.

Symptom: no error: 64 samples with 32 different draws of noise
Needs:   torch; cpu, linux; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
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


def train(rank, folder, draws, weights):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    torch.manual_seed(seed)  # BUG: the same on every rank
    model = DistributedDataParallel(nn.Linear(4, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    clean = torch.zeros(8, 4)
    for step in range(steps):
        noise = torch.randn(clean.shape)
        optimizer.zero_grad()
        (model(clean + noise) - noise).pow(2).mean().backward()
        optimizer.step()
        draws[rank, step] = noise
    weights[rank] = model.module.weight.data


if __name__ == "__main__":
    draws = torch.zeros(2, steps, 8, 4).share_memory_()
    weights = torch.zeros(2, 4, 4).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder, draws, weights), nprocs=2,
                                              start_method="fork")

    distinct = len(draws.view(-1, 4).unique(dim=0))
    same_weights = torch.equal(weights[0], weights[1])
    healthy = distinct == 2 * steps * 8 and same_weights
    print("OBSERVED", json.dumps({"healthy": healthy, "samples": 2 * steps * 8,
                                  "distinct_noise": distinct, "same_weights": same_weights}))
    sys.exit(0 if healthy else 1)
