"""Q1: the stacks of both ranks, taken several times, say what a job waits for.

Five jobs of two ranks: one is only slow, four hang for different reasons. Each rank writes its
stack when it gets SIGUSR1. Which ranks move, and where the others wait, distinguishes the five.

Symptom: five jobs, five different answers
Needs:   torch; cpu, linux; about 5 s
Run:     python fix_name_the_wait.py
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
import torch.distributed as dist


def name_the_wait(stacks_by_rank):  # FIX: all ranks, several times, side by side
    """Some stacks of each rank, innermost call first -> what the job waits for."""
    moving = [rank for rank, stacks in enumerate(stacks_by_rank) if len(set(stacks)) > 1]
    if moving:
        return f"not stuck: {moving}"
    places = []
    for stacks in stacks_by_rank:
        calls = re.findall(r'File "(.*)", line (\d+) in (\S+)', stacks[0])
        if any(name == "init_process_group" for file, line, name in calls):
            return "a rank has not started"
        own = [(name, line) for file, line, name in calls if "/lib/python" not in file]
        places.append(own[0])
    kind = "same line" if len(set(places)) == 1 else "different lines"
    return kind + ": " + ", ".join(name for name, line in places)


def work():
    time.sleep(0.03)
    time.sleep(0.03)


def save():
    dist.barrier()  # dpkb: ignore[D21]


def train(job, rank, folder, ready):
    log = open(f"{folder}/{job}.{rank}", "w")
    faulthandler.register(signal.SIGUSR1, file=log, all_threads=False)
    ready.release()
    dist.init_process_group("gloo", init_method=f"file://{folder}/{job}", rank=rank,
                            world_size=3 if job == "two_of_three_ranks" else 2)
    ready.release()
    while job == "slow" or job == "long_validation" and rank == 0:
        work()
    if job == "save_on_rank_0" and rank == 0:
        save()  # dpkb: ignore[D21]
    if job == "both_receive":
        dist.recv(torch.ones(4), src=1 - rank)
    dist.all_reduce(torch.ones(4))


if __name__ == "__main__":
    jobs = ["slow", "long_validation", "save_on_rank_0", "both_receive", "two_of_three_ranks"]
    fork = multiprocessing.get_context("fork")
    ready, answers = fork.Semaphore(0), {}
    with tempfile.TemporaryDirectory() as folder:
        ranks = [fork.Process(target=train, args=(job, rank, folder, ready), daemon=True)
                 for job in jobs for rank in [0, 1]]
        for process in ranks:
            process.start()
        for _ in range(2 * len(ranks) - 2):  # ranks without a third one are ready only once
            ready.acquire()
        time.sleep(1)
        for number in 20 * [signal.SIGUSR1] + [signal.SIGSTOP, signal.SIGKILL]:
            for process in ranks:
                os.kill(process.pid, number)
                time.sleep(0.01)
        for job in jobs:
            logs = [open(f"{folder}/{job}.{rank}").read() for rank in [0, 1]]
            stacks = [log.split("Stack (most recent call first):\n")[1:-1] for log in logs]
            answers[job] = name_the_wait(stacks)

    healthy = list(answers.values()) == [
        "not stuck: [0, 1]", "not stuck: [0]", "different lines: save, train",
        "same line: train, train", "a rank has not started"]
    print("OBSERVED", json.dumps({"healthy": healthy, "answer_by_job": answers}))
    sys.exit(0 if healthy else 1)
