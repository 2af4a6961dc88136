"""Q1: the stacks of a process and of its DataLoader worker say what the process waits for.

Four jobs of one process: a slow one, a worker that does not return, a lock that is taken twice,
and a question that nobody answers. The innermost line of your own code, and what it calls,
distinguish the four. The worker writes its stack in the same way as its parent.

Symptom: four jobs, four different answers
Needs:   torch; cpu, linux; about 4 s
Run:     python fix_one_process.py
"""
import faulthandler
import json
import multiprocessing
import os
import re
import signal
import sys
import tempfile
import threading
import time

from torch.utils.data import DataLoader

lock = threading.Lock()


def where(stacks):  # FIX: look where it waits, do not guess
    """Some stacks of a process, innermost call first -> where it waits."""
    if len(set(stacks)) > 1:
        return "not stuck"
    calls = re.findall(r'File "(.*)", line \d+ in (\S+)', stacks[0])
    if "_try_get_data" in [name for file, name in calls]:
        return "a worker of the DataLoader"
    return "own code: " + next(name for file, name in calls if "/lib/python" not in file)


def work():
    time.sleep(0.03)
    time.sleep(0.03)


def update_shared_state(index):
    with lock:  # not reentrant; and fork copies a lock that is held
        return index


def write_stacks(log, pids):
    faulthandler.register(signal.SIGUSR1, file=open(log, "w"), all_threads=False)
    pids.put(os.getpid())


def start(job, log, pids):
    write_stacks(log, pids)
    sys.stdin = os.fdopen(os.pipe()[0])  # a terminal at which nobody sits
    while job == "slow":
        work()
    if job == "question":
        input()
    with lock:
        if job == "stuck_worker":
            loader = DataLoader(range(4), num_workers=1, multiprocessing_context="fork",
                                collate_fn=update_shared_state,
                                worker_init_fn=lambda _: write_stacks(log + "_itself", pids))
            next(iter(loader))
        update_shared_state(0)


if __name__ == "__main__":
    fork = multiprocessing.get_context("fork")
    pids = fork.SimpleQueue()
    logs = ["slow", "question", "lock_twice", "stuck_worker", "stuck_worker_itself"]
    with tempfile.TemporaryDirectory() as folder:
        for job in logs[:4]:
            fork.Process(target=start, args=(job, f"{folder}/{job}", pids)).start()
        ready = [pids.get() for _ in logs]
        time.sleep(1)
        for pid in 20 * ready:
            os.kill(pid, signal.SIGUSR1)
            time.sleep(0.02)
        for pid in ready:
            os.kill(pid, signal.SIGKILL)
        stacks = [open(f"{folder}/{log}").read().split("Stack (most recent call first):\n")[1:-1]
                  for log in logs]

    answers = {log: where(each) for log, each in zip(logs, stacks)}
    healthy = list(answers.values()) == [
        "not stuck", "own code: start", "own code: update_shared_state",
        "a worker of the DataLoader", "own code: update_shared_state"]
    print("OBSERVED", json.dumps({"healthy": healthy, "answer_by_process": answers}))
    sys.exit(0 if healthy else 1)
