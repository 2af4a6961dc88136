"""Q1: neither Ctrl-C nor a Python signal handler shows where a rank waits in a collective.

Python runs signal handlers, and raises KeyboardInterrupt, between two bytecode instructions. A
rank that waits inside gloo does not reach the next one. faulthandler writes the stack from the
signal handler of the operating system, so it works there.

Symptom: two signals, no stack, and the rank waits on
Needs:   torch; cpu, linux; about 5 s
Run:     python trap_ctrl_c.py
"""
import faulthandler
import json
import multiprocessing
import os
import signal
import sys
import tempfile
import time
import traceback

import torch
import torch.distributed as dist


def train(rank, folder, ready):
    log = open(f"{folder}/handler.{rank}", "w", buffering=1)
    signal.signal(signal.SIGUSR1,  # BUG: runs when recv() has returned, which is never
                  lambda number, frame: traceback.print_stack(frame, file=log))
    faulthandler.register(signal.SIGUSR2, file=open(f"{folder}/faulthandler.{rank}", "w"))
    dist.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=2)
    ready.release()
    if rank == 0:
        dist.recv(torch.ones(4), src=1)
    time.sleep(100)


if __name__ == "__main__":
    fork = multiprocessing.get_context("fork")
    ready = fork.Semaphore(0)
    with tempfile.TemporaryDirectory() as folder:
        ranks = [fork.Process(target=train, args=(rank, folder, ready), daemon=True)
                 for rank in [0, 1]]
        for process in ranks:
            process.start()
        for process in ranks:
            ready.acquire()
        time.sleep(1)
        for number in [signal.SIGUSR1, signal.SIGINT, signal.SIGUSR2]:
            os.kill(ranks[0].pid, number)
            time.sleep(0.5)
        from_handler = open(folder + "/handler.0").read()
        from_faulthandler = open(folder + "/faulthandler.0").read()
        alive = ranks[0].is_alive()
        for number in [signal.SIGSTOP, signal.SIGKILL]:
            for process in ranks:
                os.kill(process.pid, number)

    assert " in recv" in from_faulthandler
    healthy = " in train" in from_handler or not alive
    print("OBSERVED", json.dumps({"healthy": healthy, "alive_after_ctrl_c": alive,
                                  "lines_from_python_handler": from_handler.count("\n"),
                                  "lines_from_faulthandler": from_faulthandler.count("\n")}))
    sys.exit(0 if healthy else 1)
