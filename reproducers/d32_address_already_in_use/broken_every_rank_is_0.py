"""D32: every process of one job runs as rank 0.

Only rank 0 listens on the port. If all processes are started with rank 0, because LOCAL_RANK is
not read or a default is left in place, the second one finds the port taken by the first.

Symptom: ... address already in use (EADDRINUSE), with a single job and a free port
Needs:   torch; cpu, linux; about 3 s
Run:     python broken_every_rank_is_0.py
"""
import json
import multiprocessing
import socket
import sys
import time
from datetime import timedelta

import torch.distributed as dist

world_size = 2


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def train(port, rank=0):
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank,
                            world_size=world_size, timeout=timedelta(seconds=60))


if __name__ == "__main__":
    port = free_port()
    fork = multiprocessing.get_context("fork")
    fork.Process(target=train, args=(port,), daemon=True).start()
    with socket.socket() as probe:
        while probe.connect_ex(("127.0.0.1", port)):  # until the first process listens
            time.sleep(0.1)
    train(port)  # BUG: rank=1 is missing, so this process wants to listen as well

    healthy = dist.get_world_size() == world_size
    print("OBSERVED", json.dumps({"healthy": healthy, "world_size": dist.get_world_size()}))
    sys.exit(0 if healthy else 1)
