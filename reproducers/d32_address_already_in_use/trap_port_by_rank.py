"""D32: if every rank draws a random port, the ranks cannot connect.

All ranks of a job must use the same port: rank 0 listens there, the others connect. If each rank
draws its own port, nobody listens on the one that rank 1 tries.

Symptom: an error after the timeout, here 5 s; 5 or 30 minutes by default
Needs:   torch; cpu, linux; about 9 s
Run:     python trap_port_by_rank.py
"""
import json
import multiprocessing
import socket
import sys
from datetime import timedelta

import torch.distributed as dist


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def train(rank):
    port = free_port()  # BUG: each rank asks for itself
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=2,
                            timeout=timedelta(seconds=5))


if __name__ == "__main__":
    multiprocessing.get_context("fork").Process(target=train, args=(0,), daemon=True).start()
    train(1)

    healthy = dist.get_world_size() == 2
    print("OBSERVED", json.dumps({"healthy": healthy, "world_size": dist.get_world_size()}))
    sys.exit(0 if healthy else 1)
