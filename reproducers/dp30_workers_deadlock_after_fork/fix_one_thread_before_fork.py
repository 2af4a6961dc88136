"""DP30: a process that is forked with the number of threads at 1 runs.

The number of threads is copied by fork(). With 1, the forked process waits for no other thread.

Symptom: none: the process ends
Needs:   torch; cpu, linux; about 3 s
Run:     python fix_one_thread_before_fork.py
"""
import json
import sys

import torch
import torch.multiprocessing


def brighten(value):
    return torch.full((600, 600), value).exp()  # torch uses OpenMP threads for tensors of this size


def preprocess(result):
    result[0] = float(brighten(0.0).mean())


if __name__ == "__main__":
    torch.set_num_threads(2)  # the default on a machine with 2 cores
    scale = float(brighten(0.0).mean())  # starts OpenMP threads
    result = torch.zeros(1).share_memory_()
    torch.set_num_threads(1)  # FIX: before the fork; the process inherits it
    context = torch.multiprocessing.get_context("fork")
    process = context.Process(target=preprocess, args=(result,))
    process.start()
    process.join(5)
    still_there = process.is_alive()
    process.kill()

    healthy = not still_there and float(result) == scale == 1
    print("OBSERVED", json.dumps({"healthy": healthy, "still_there": still_there}))
    sys.exit(0 if healthy else 1)
