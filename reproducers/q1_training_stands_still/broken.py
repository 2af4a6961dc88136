"""Q1: the stack of the rank that seems to hang does not show why it waits.

Rank 0 has one batch less than rank 1 and goes on to the barrier after the loop. Rank 1 waits in
backward(), which is correct code. Only the stack of rank 1 is taken here, so nobody sees that
rank 0 has left the loop.

Symptom: nothing is printed and nothing fails; the only stack shows train, the loop of rank 1
Needs:   torch; cpu, linux; about 7 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import faulthandler
import json
import multiprocessing
import re
import signal
import sys
import tempfile
import time
from datetime import timedelta
from os import kill

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

batches_by_rank = [3, 4]


def train(rank, folder, steps):
    log = open(f"{folder}/stacks.{rank}", "w")
    faulthandler.register(signal.SIGUSR1, file=log, all_threads=False)  # kill -USR1 writes a stack
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=100))
    model = DistributedDataParallel(torch.nn.Linear(4, 1))
    for _ in range(batches_by_rank[rank]):
        steps[rank] += 1
        model(torch.ones(2, 4)).mean().backward()
    after_the_loop()


def after_the_loop():
    dist.barrier()  # dpkb: ignore[D21]


def place(stack):
    """The function of your own code that a stack is in. The innermost call comes first."""
    calls = re.findall(r'File "(.*)", line \d+ in (\S+)', stack)
    return next(name for file, name in calls if "/lib/python" not in file)


if __name__ == "__main__":
    steps = torch.zeros(2, dtype=torch.int64).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        fork = multiprocessing.get_context("fork")
        ranks = [fork.Process(target=train, args=(rank, folder, steps)) for rank in range(2)]
        for process in ranks:
            process.start()
        while steps.tolist() != [3, 4]:
            time.sleep(0.1)
        time.sleep(2)
        stacks = []
        for rank in [1]:  # BUG: only the rank that looks stuck
            kill(ranks[rank].pid, signal.SIGUSR1)
            time.sleep(0.5)
            stacks.append(open(f"{folder}/stacks.{rank}").read())
        for number in [signal.SIGSTOP, signal.SIGKILL]:  # stopped, they cannot miss each other
            for process in ranks:
                kill(process.pid, number)

    places = [place(stack) for stack in stacks]
    healthy = "after_the_loop" in places and "train" in places
    print("OBSERVED", json.dumps({"healthy": healthy, "places": places}))
    sys.exit(0 if healthy else 1)
