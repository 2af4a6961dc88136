"""D32: ending the leftover process frees the port at once.

`ss -ltnp "sport = :29500"` names the process that listens on a port. Once that process has ended,
the next job can listen there.

Symptom: none: the new job starts on the port of the old one
Needs:   torch; cpu, linux; about 4 s
Run:     python fix_end_the_leftover.py
"""
import json
import multiprocessing
import os
import signal
import socket
import sys
import time

import torch.distributed as dist


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start_job(port):
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=0, world_size=1)


def rank_0(port, is_up):
    start_job(port)
    is_up.put(os.getpid())
    time.sleep(30)


def launcher(port, is_up):
    multiprocessing.get_context("fork").Process(target=rank_0, args=(port, is_up)).start()


if __name__ == "__main__":
    fork = multiprocessing.get_context("fork")
    is_up = fork.SimpleQueue()
    port = free_port()
    old_job = fork.Process(target=launcher, args=(port, is_up))
    old_job.start()
    leftover = is_up.get()
    os.kill(old_job.pid, signal.SIGKILL)
    old_job.join()
    time.sleep(0.5)  # what is left over does not end by itself
    with socket.socket() as probe:
        was_held = probe.connect_ex(("127.0.0.1", port)) == 0
    os.kill(leftover, signal.SIGTERM)  # FIX: the process that holds the port
    time.sleep(1)
    start_job(port)

    healthy = was_held and dist.get_world_size() == 1
    print("OBSERVED", json.dumps({"healthy": healthy, "port_was_held": was_held,
                                  "world_size": dist.get_world_size()}))
    sys.exit(0 if healthy else 1)
