"""M3: the ranks together exceed the host memory, and the kernel kills the largest one.

A process plays the kernel: it sends SIGKILL to the largest rank once all ranks together exceed a
budget. No Python code of that rank runs any more, so it leaves no traceback.

Symptom: ProcessExitedException: process 0 terminated with signal SIGKILL
Needs:   torch; cpu, linux; about 5 s
Run:     python broken_killed.py
"""
import json
import os
import signal
import sys
import tempfile
import time

import torch
import torch.distributed as dist
from torch import nn

num_ranks, model_mb = 3, 64
budget_mb = 5 * model_mb  # host memory for all ranks together


def new_model():
    return nn.Linear(4096, 4096, bias=False)


def private_mb():
    """Memory of this process that no file backs."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("RssAnon")) / 1024


def play_the_kernel(mb, pids):
    """Kills the largest rank, as the kernel does when memory runs out."""
    while float(mb.sum()) < budget_mb:
        time.sleep(0.01)
    os.kill(int(pids[mb.argmax()]), signal.SIGKILL)


def start(rank, folder, build_model, mb, pids, weight):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=num_ranks)
    before = private_mb()
    pids[rank] = os.getpid()
    print(f'rank {rank}: loading the checkpoint last.pt', file=sys.stderr)
    model = build_model()
    state = torch.load(folder + "/last.pt", map_location="cpu")  # BUG: each rank reads all
    model.load_state_dict(state)
    weight[rank] = sum(float(w.detach().sum()) for w in model.parameters())
    mb[rank] = private_mb() - before
    time.sleep(30)  # moves the model to the GPU, starts the workers


if __name__ == "__main__":
    torch.set_num_threads(1)
    mb, weight = torch.zeros(num_ranks).share_memory_(), torch.zeros(num_ranks).share_memory_()
    pids = torch.zeros(num_ranks, dtype=torch.int64).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.save({name: torch.full_like(w, 2) for name, w in new_model().state_dict().items()},
                   folder + "/last.pt")
        context = torch.multiprocessing.get_context("fork")
        context.Process(target=play_the_kernel, args=(mb, pids), daemon=True).start()
        torch.multiprocessing.start_processes(start, args=(folder, new_model, mb, pids, weight),
                                              nprocs=num_ranks, start_method="fork")

    copies = [round(float(size) / model_mb, 1) for size in mb]
    loaded = [float(total) == 2.0 * model_mb * 2 ** 18 for total in weight]
    healthy = sum(copies) < 5 and all(loaded)
    print("OBSERVED", json.dumps({"healthy": healthy, "copies_by_rank": copies,
                                  "loaded_by_rank": loaded}))
    sys.exit(0 if healthy else 1)
