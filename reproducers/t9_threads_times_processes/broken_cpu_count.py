"""T9: os.cpu_count() counts cores that the job may not use.

The job has one core. os.cpu_count() counts those of the machine, so as many threads share the one.

Symptom: no error: more threads than allowed cores
Needs:   torch; cpu, linux; about 3 s
Run:     python broken_cpu_count.py
"""
import json
import os
import sys

import torch

if not hasattr(os, "sched_setaffinity"):
    print("SKIPPED this system cannot keep a process to some cores")
    sys.exit(77)
if len(os.sched_getaffinity(0)) < 2:
    print("SKIPPED there is one core")
    sys.exit(77)


if __name__ == "__main__":
    torch.manual_seed(0)
    allowed = sorted(os.sched_getaffinity(0))[:1]
    os.sched_setaffinity(0, allowed)  # as Slurm, taskset and containers do
    cores = os.cpu_count()  # BUG: the cores of the whole machine
    torch.set_num_threads(cores)
    torch.randn(300, 300) @ torch.randn(300, 300)

    threads = torch.get_num_threads()
    healthy = threads == len(allowed)
    print("OBSERVED", json.dumps({"healthy": healthy, "allowed_cores": len(allowed),
                                  "threads": threads}))
    sys.exit(0 if healthy else 1)
