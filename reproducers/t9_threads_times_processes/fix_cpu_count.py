"""T9: os.sched_getaffinity() counts the cores that the job may use.

Slurm, taskset and cpusets of containers keep a process to some cores. This set is what it returns.

Symptom: none: one thread for the one allowed core
Needs:   torch; cpu, linux; about 3 s
Run:     python fix_cpu_count.py
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
    cores = len(os.sched_getaffinity(0))  # FIX: the cores of this job
    torch.set_num_threads(cores)
    torch.randn(300, 300) @ torch.randn(300, 300)

    threads = torch.get_num_threads()
    healthy = threads == len(allowed)
    print("OBSERVED", json.dumps({"healthy": healthy, "allowed_cores": len(allowed),
                                  "threads": threads}))
    sys.exit(0 if healthy else 1)
