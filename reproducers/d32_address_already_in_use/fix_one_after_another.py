"""D32: the port is free again as soon as every process of the first job has ended.

torch listens with SO_REUSEADDR, so a new job need not wait until old connections have expired. If
the port stays taken, some process of the old job is still alive.

Symptom: none: three jobs in a row use the same port
Needs:   torch; cpu, linux; about 4 s
Run:     python fix_one_after_another.py
"""
import json
import multiprocessing
import socket
import sys

import torch
import torch.distributed as dist


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def train(rank, port, sums):
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=2)
    ones = torch.ones(1)
    dist.all_reduce(ones)
    sums.put(ones.item())


if __name__ == "__main__":
    fork = multiprocessing.get_context("fork")
    sums = fork.SimpleQueue()
    port = free_port()
    for job in range(3):
        ranks = [fork.Process(target=train, args=(rank, port, sums)) for rank in range(2)]
        for process in ranks:
            process.start()
        for process in ranks:
            process.join()  # FIX: the next job starts when both processes are gone

    results = [sums.get() for _ in range(6)]
    healthy = results == 6 * [2.0]
    print("OBSERVED", json.dumps({"healthy": healthy, "sums": results}))
    sys.exit(0 if healthy else 1)
