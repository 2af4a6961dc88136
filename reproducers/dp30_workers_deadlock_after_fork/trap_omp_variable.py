"""DP30: OMP_NUM_THREADS that is set after `import torch` changes nothing.

The OpenMP library reads the variable when it is loaded, which is at `import torch`.

Symptom: the process is still there after 5 seconds, in exp()
Needs:   torch; cpu, linux; about 7 s
Run:     python trap_omp_variable.py
"""
import json
import os
import sys

import torch
import torch.multiprocessing


def brighten(value):
    return torch.full((600, 600), value).exp()  # torch uses OpenMP threads for tensors of this size


def preprocess(result):
    result[0] = float(brighten(0.0).mean())


if __name__ == "__main__":
    if torch.get_num_threads() < 2:
        print("SKIPPED torch uses one thread on this machine anyway")
        sys.exit(77)
    os.environ["OMP_NUM_THREADS"] = "1"  # BUG: too late, torch is imported
    scale = float(brighten(0.0).mean())  # starts OpenMP threads
    result = torch.zeros(1).share_memory_()
    context = torch.multiprocessing.get_context("fork")
    process = context.Process(target=preprocess, args=(result,))
    process.start()
    process.join(5)
    still_there = process.is_alive()
    process.kill()

    healthy = not still_there and float(result) == scale == 1
    print("OBSERVED", json.dumps({"healthy": healthy, "still_there": still_there}))
    sys.exit(0 if healthy else 1)
