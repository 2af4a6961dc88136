"""DP30: a process that you fork yourself hangs in its first large torch operation.

A DataLoader worker is set to one thread when it starts. A process that you fork yourself, also in
a Pool, inherits the number of threads, but not the threads.

Symptom: the process is still there after 5 seconds, in exp()
Needs:   torch; cpu, linux; about 7 s
Run:     python broken_process.py
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
    context = torch.multiprocessing.get_context("fork")
    process = context.Process(target=preprocess, args=(result,))  # BUG: inherits "2 threads"
    process.start()
    process.join(5)
    still_there = process.is_alive()
    process.kill()

    healthy = not still_there and float(result) == scale == 1
    print("OBSERVED", json.dumps({"healthy": healthy, "still_there": still_there}))
    sys.exit(0 if healthy else 1)
