"""Q1: a single stack takes a job that is only slow for one that hangs.

The job loads a batch and makes a step, again and again. A single stack shows it in some line, like
the stack of a job that hangs. Stacks that were taken at different times differ.

Symptom: one stack names a line as the culprit, 20 stacks show that the job moves
Needs:   torch; cpu, linux; about 4 s
Run:     python trap_one_stack.py; python fix_name_the_wait.py
"""
import faulthandler
import json
import multiprocessing
import os
import re
import signal
import sys
import tempfile
import time

import torch


def where(stacks):
    """Some stacks of a process, innermost call first -> where it hangs."""
    if len(set(stacks)) > 1:
        return "not stuck"
    calls = re.findall(r'File "(.*)", line \d+ in (\S+)', stacks[0])
    return "stuck in " + calls[0][1]


def train(log, ready):
    faulthandler.register(signal.SIGUSR1, file=open(log, "w"), all_threads=False)
    model = torch.nn.Linear(4, 1)
    ready.release()
    while True:
        load()
        model(torch.ones(2, 4)).mean().backward()


def load():
    time.sleep(0.03)
    time.sleep(0.03)


if __name__ == "__main__":
    fork = multiprocessing.get_context("fork")
    ready = fork.Semaphore(0)
    with tempfile.TemporaryDirectory() as folder:
        process = fork.Process(target=train, args=(folder + "/log", ready), daemon=True)
        process.start()
        ready.acquire()
        for _ in range(20):
            os.kill(process.pid, signal.SIGUSR1)
            time.sleep(0.05)
        stacks = open(folder + "/log").read().split("Stack (most recent call first):\n")[1:-1]

    by_one_stack = where(stacks[-1:])  # BUG: nothing to compare it with
    by_all_stacks = where(stacks)
    healthy = by_one_stack == by_all_stacks
    print("OBSERVED", json.dumps({"healthy": healthy, "by_one_stack": by_one_stack,
                                  "by_all_stacks": by_all_stacks}))
    sys.exit(0 if healthy else 1)
