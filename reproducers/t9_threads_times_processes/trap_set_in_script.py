"""T9: OMP_NUM_THREADS is set after torch and numpy were imported.

The libraries read it once, when they are loaded. torch goes on with a thread for each core.

Symptom: no error: torch has as many threads as before
Needs:   torch, numpy; cpu, linux; about 3 s
Run:     python trap_set_in_script.py
"""
import json
import os
import sys

import torch

if not hasattr(os, "sched_getaffinity"):
    print("SKIPPED this system does not say which cores a process may use")
    sys.exit(77)
if len(os.sched_getaffinity(0)) < 2:
    print("SKIPPED there is one core")
    sys.exit(77)


if __name__ == "__main__":
    os.environ["OMP_NUM_THREADS"] = "1"  # BUG: torch has read it when it was imported
    torch.randn(300, 300) @ torch.randn(300, 300)

    threads = torch.get_num_threads()
    healthy = threads == 1
    print("OBSERVED", json.dumps({"healthy": healthy, "threads": threads}))
    sys.exit(0 if healthy else 1)
