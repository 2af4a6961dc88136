"""D32: a second job on the same machine uses the port of the first job.

Rank 0 of each job listens on MASTER_PORT, often 29500. A second job with the same port cannot
listen there as long as the first one runs.

Symptom: ... address already in use (EADDRINUSE), before the first step of the second job
Needs:   torch; cpu, linux; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import multiprocessing
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


def first_job(port, is_up):
    start_job(port)
    is_up.release()
    time.sleep(100)


if __name__ == "__main__":
    fork = multiprocessing.get_context("fork")
    is_up = fork.Semaphore(0)
    port = free_port()
    first = fork.Process(target=first_job, args=(port, is_up), daemon=True)
    first.start()
    is_up.acquire()
    start_job(port)  # BUG: the port of the first job, as with the default for both

    first.join(1)  # it does not end by itself
    healthy = dist.get_world_size() == 1 and first.is_alive()
    print("OBSERVED", json.dumps({"healthy": healthy, "world_size": dist.get_world_size(),
                                  "first_job_runs": first.is_alive()}))
    sys.exit(0 if healthy else 1)
