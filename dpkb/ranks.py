"""Runs a script of the catalogue that launches ranks with the ranks that torchrun started instead.

A program of its own, for any number of machines; dpkb need not be installed on them:

    torchrun --nnodes 2 --nproc-per-node 1 ... dpkb/ranks.py reproducers/dp3_uneven_shards/broken.py

By itself such a script starts all its ranks on one machine, lets them meet in a file, and reads from
shared memory what they left. Here each machine starts its own rank, they meet at torchrun's store,
and what a rank wrote into the shared tensors goes to rank 0 through that store. Rank 0 then goes on
as the script does after its ranks: it prints OBSERVED, or raises what a rank raised.
"""

import functools
import importlib
import json
import os
import runpy
import sys
import time
import traceback

LAUNCHES = ("start_processes(", "multiprocessing.spawn(")
# How long a rank waits for the others, before the script's own part and after it.
PATIENCE = 300


class Meeting:
    """What the ranks tell each other, through torchrun's store."""

    def __init__(self):
        self.rank, self.world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
        self.dist = importlib.import_module("torch.distributed")
        # torchrun's agent may hold the store itself, or leave that to rank 0: torch knows which.
        self.store = next(self.dist.rendezvous("env://"))[0]
        # The script's own timeouts begin when all are here, as they do on one machine.
        self.store.add("dpkb/here", 1)
        self.until(lambda: self.store.add("dpkb/here", 0) >= self.world)

    def until(self, true):
        deadline = time.monotonic() + PATIENCE
        while not true():
            if time.monotonic() > deadline:
                sys.exit(f"ranks.py: another rank says nothing for {PATIENCE} s: look at its machine")
            time.sleep(0.1)

    def wrote(self, cells):
        """Say that this rank is through, and which cells of the shared tensors it wrote."""
        self.store.set(f"dpkb/{self.rank}", json.dumps(cells))
        self.store.add("dpkb/through", 1)

    def failed(self, text):
        """Say that this rank has failed."""
        self.store.set("dpkb/error", f"rank {self.rank} of the script failed:\n{text}")
        self.store.add("dpkb/failed", 1)

    def any_failed(self):
        # Adding 0 asks without waiting, on every torch.
        return self.store.add("dpkb/failed", 0) > 0

    def all_cells(self):
        """What every rank wrote, once all are through; raises what a rank raised."""
        self.until(lambda: self.any_failed() or self.store.add("dpkb/through", 0) == self.world)
        if self.any_failed():
            raise RuntimeError(self.store.get("dpkb/error").decode())
        return [json.loads(self.store.get(f"dpkb/{rank}")) for rank in range(self.world)]


def init_process_group(real, meeting, backend=None, init_method=None, **more):
    """The script's own call, with torchrun's store in place of its file."""
    dist = meeting.dist
    # A client of its own: this is a child of the process that may hold the store.
    client = dist.TCPStore(os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]), meeting.world, False)
    return real(backend, store=dist.PrefixStore("script", client), **more)


def as_rank(_, rank, function, args):
    function(rank, *args)


def start_processes(real, meeting, function, args=(), nprocs=1, **_):
    """Run this machine's rank as the script would; on rank 0 return with what all ranks wrote."""
    if nprocs != meeting.world:
        sys.exit(f"ranks.py: the script has {nprocs} ranks and torchrun started {meeting.world}; "
                 f"choose --nnodes and --nproc-per-node so that their product is {nprocs}")
    shared = [value for value in args if hasattr(value, "share_memory_")]
    before = [tensor.clone() for tensor in shared]
    try:
        # A child, as the script has it: its connections end when it does. fork, so that it knows the
        # store whatever the script's start method is.
        context = real(as_rank, args=(meeting.rank, function, args), nprocs=1, join=False,
                       start_method="fork")
        while not context.join(timeout=0.2):
            if meeting.any_failed():
                # As torch.multiprocessing does: one rank has failed, so the others are ended.
                for process in context.processes:
                    process.kill()
                break
    except Exception:
        meeting.failed(traceback.format_exc())
        raise
    if not meeting.any_failed():
        meeting.wrote([changed(old, shared[index]) for index, old in enumerate(before)])
    if meeting.rank:
        sys.exit(0)  # rank 0 judges
    for cells_of_rank in meeting.all_cells():
        for number, cells in enumerate(cells_of_rank):
            for index, value in cells:
                shared[number].view(-1)[index] = value


def changed(before, after):
    """The cells that a rank wrote: [index, value] of each."""
    before, after = before.flatten().tolist(), after.flatten().tolist()
    return [[index, new] for index, new in enumerate(after) if before[index] != new]


def main():
    """Run the script that the command line names, as one rank of torchrun's."""
    if len(sys.argv) != 2 or "RANK" not in os.environ:
        sys.exit("usage: torchrun --nnodes 2 --nproc-per-node 1 ... ranks.py SCRIPT")
    script = os.path.abspath(sys.argv[1])
    try:
        with open(script, encoding="utf-8") as file:
            text = file.read()
    except OSError as error:
        sys.exit(f"ranks.py: {script} cannot be read: {error.strerror}")
    if not any(launch in text for launch in LAUNCHES):
        sys.exit(f"ranks.py: {script} launches no ranks: run it without torchrun")
    # What `python SCRIPT` sees. dpkb's own folder must not come first: its modules have common names.
    sys.path[0], sys.argv = os.path.dirname(script), [script]
    meeting = Meeting()
    ranks = importlib.import_module("torch.multiprocessing")
    replaced = functools.partial(start_processes, ranks.start_processes, meeting)
    ranks.start_processes = ranks.spawn = replaced
    meeting.dist.init_process_group = functools.partial(
        init_process_group, meeting.dist.init_process_group, meeting)
    runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    main()
