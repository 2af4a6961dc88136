"""T9: the cores of a container with a CPU quota are read from its cgroup.

Docker --cpus and the CPU limit of a Kubernetes pod leave all cores visible, and limit the time on
them: cpu.max says "150000 100000" for 1.5 cores. Here a file of this form plays the container.

Symptom: none: one thread for 1.5 cores, and without a quota the allowed cores
Needs:   torch; cpu, linux; about 3 s
Run:     python fix_quota.py
"""
import json
import os
import sys
import tempfile

import torch

if not hasattr(os, "sched_getaffinity"):
    print("SKIPPED this system does not say which cores a process may use")
    sys.exit(77)


def usable_cores(path="/sys/fs/cgroup/cpu.max"):
    """The cores of this process, with the quota of its container (cgroup 2)."""
    cores = len(os.sched_getaffinity(0))
    if os.path.exists(path):
        with open(path) as file:
            quota, period = file.read().split()
        if quota != "max":
            cores = min(cores, max(1, int(quota) // int(period)))  # FIX: the quota counts too
    return cores


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "cpu.max")
        threads = []
        for limit in ("150000 100000", "max 100000"):
            with open(path, "w") as file:
                file.write(limit)
            torch.set_num_threads(usable_cores(path))
            threads.append(torch.get_num_threads())

    healthy = threads == [1, len(os.sched_getaffinity(0))]
    print("OBSERVED", json.dumps({"healthy": healthy, "threads_with_quota": threads[0],
                                  "threads_without": threads[1]}))
    sys.exit(0 if healthy else 1)
