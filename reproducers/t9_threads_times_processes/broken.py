"""T9: four ranks on one machine start a thread for each core, each of them.

torch computes with as many threads as there are cores. It does not know about the other ranks.
torchrun sets OMP_NUM_THREADS=1, and start_processes() does not.

Symptom: no error: 4 times as many threads as cores
Needs:   torch; cpu, linux; about 4 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import os
import sys

import torch
from torch import nn, multiprocessing

ranks = 4
if not hasattr(os, "sched_getaffinity"):
    print("SKIPPED this system does not say which cores a process may use")
    sys.exit(77)
cores = len(os.sched_getaffinity(0))
if cores < 2:
    print("SKIPPED there is one core")
    sys.exit(77)


def train(rank, threads):
    # BUG: each rank computes with a thread for each core
    model = nn.Linear(32, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for step in range(10):
        optimizer.zero_grad()
        model(torch.randn(64, 32)).square().mean().backward()
        optimizer.step()
    threads[rank] = torch.get_num_threads()


if __name__ == "__main__":
    threads = torch.zeros(ranks, dtype=torch.long).share_memory_()
    multiprocessing.start_processes(train, args=(threads,), nprocs=ranks, start_method="fork")

    total = int(threads.sum())
    healthy = ranks <= total <= max(cores, ranks)
    print("OBSERVED", json.dumps({"healthy": healthy, "cores": cores, "threads_in_all": total}))
    sys.exit(0 if healthy else 1)
