"""D32: a process of a job that was killed still holds the port.

kill -9, or an IDE's stop button, ends the process that you started. The rank that it had started
lives on and keeps the port (and its GPU memory).

Symptom: ... address already in use (EADDRINUSE), although the old job is gone
Needs:   torch; cpu, linux; about 4 s
Run:     python broken_leftover.py; python fix_end_the_leftover.py
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
    os.kill(old_job.pid, signal.SIGKILL)  # BUG: ends the launcher; rank 0 lives on
    old_job.join()
    start_job(port)

    healthy = dist.get_world_size() == 1
    print("OBSERVED", json.dumps({"healthy": healthy, "world_size": dist.get_world_size()}))
    sys.exit(0 if healthy else 1)
