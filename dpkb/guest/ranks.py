"""Runs a script that starts its own ranks with the ranks of torchrun instead, on any number of machines.

Runs under any Python from 3.8 on; imports only the standard library, and torch. dpkb need not be installed
on the machines:

    torchrun --nnodes 2 --nproc-per-node 1 ... dpkb/guest/ranks.py reproducers/dp3_uneven_shards/broken.py

Without this program, such a script starts all its ranks on one machine, connects them through a file, and
reads their results from shared memory. With it, each machine starts its own rank, torchrun's store connects
the ranks, and the values that a rank writes into the shared tensors go to rank 0 through that store. Rank 0
then continues as the script does after its ranks have ended: it prints OBSERVED, or raises a rank's error.
"""

from __future__ import annotations

import functools
import importlib
import json
import os
import runpy
import sys
import time
import traceback

MYPY = False
if MYPY:
    from collections.abc import Callable
    from typing import Any

    Cells = list[list[Any]]  # [index, value] of each cell that a rank wrote

LAUNCHES = ("start_processes(", "multiprocessing.spawn(")
# A rank waits this long for the other ranks, before the script's ranks start and after they have ended.
WAIT_SECONDS = 300


class Ranks:
    """The other ranks, reached through torchrun's store."""

    def __init__(self) -> None:
        self.rank, self.world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
        self.dist = importlib.import_module("torch.distributed")
        # Either torchrun's agent or rank 0 hosts the store; rendezvous() finds it.
        self.store = next(self.dist.rendezvous("env://"))[0]
        # Wait for all ranks, so that the script's own timeouts start together, as on one machine.
        self.store.add("dpkb/here", 1)
        self.wait_until(lambda: self.store.add("dpkb/here", 0) >= self.world)

    def wait_until(self, condition: Callable[[], bool]) -> None:
        """Wait until condition() is true; exit with a message after WAIT_SECONDS."""
        deadline = time.monotonic() + WAIT_SECONDS
        while not condition():
            if time.monotonic() > deadline:
                sys.exit(
                    f"ranks.py: another rank did not answer for {WAIT_SECONDS} s; "
                    "read the output of torchrun on the other machines"
                )
            time.sleep(0.1)

    def report_cells(self, cells: list[Cells]) -> None:
        """Report to rank 0 that this rank has ended, and which cells of each shared tensor it wrote."""
        self.store.set(f"dpkb/{self.rank}", json.dumps(cells))
        self.store.add("dpkb/ended", 1)

    def report_failure(self, text: str) -> None:
        """Report to the other ranks that this rank has failed."""
        self.store.set("dpkb/error", f"rank {self.rank} of the script failed:\n{text}")
        self.store.add("dpkb/failed", 1)

    def any_failed(self) -> bool:
        """Whether a rank has failed."""
        return bool(self.store.add("dpkb/failed", 0) > 0)  # adding 0 reads without waiting, on every torch

    def all_cells(self) -> list[list[Cells]]:
        """Wait for all ranks: the cells that each rank wrote. Raises RuntimeError if a rank has failed."""
        self.wait_until(lambda: self.any_failed() or self.store.add("dpkb/ended", 0) == self.world)
        if self.any_failed():
            raise RuntimeError(self.store.get("dpkb/error").decode())
        return [json.loads(self.store.get(f"dpkb/{rank}")) for rank in range(self.world)]


def init_process_group(
    original: Callable[..., Any],
    ranks: Ranks,
    backend: str | None = None,
    init_method: str | None = None,
    **options: Any,
) -> Any:
    """Replaces init_process_group() of the script: uses torchrun's store instead of the script's file."""
    dist = ranks.dist
    # A new client, because this process is a child of the process that may host the store.
    client = dist.TCPStore(os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]), ranks.world, False)
    return original(backend, store=dist.PrefixStore("script", client), **options)


def run_rank(_: int, rank: int, function: Callable[..., None], args: tuple[Any, ...]) -> None:
    """Run the script's function as this rank, in a child process."""
    function(rank, *args)


def start_processes(
    original: Callable[..., Any],
    ranks: Ranks,
    function: Callable[..., None],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    **_: Any,
) -> None:
    """Replaces start_processes() and spawn() of the script: runs only the rank of this process.

    On rank 0, writes the cells of all ranks into the shared tensors and returns; other ranks exit.
    """
    if nprocs != ranks.world:
        sys.exit(
            f"ranks.py: the script has {nprocs} ranks and torchrun started {ranks.world}; "
            f"choose --nnodes and --nproc-per-node so that their product is {nprocs}"
        )
    shared = [value for value in args if hasattr(value, "share_memory_")]
    before = [tensor.clone() for tensor in shared]
    try:
        # A child process, as in the script, so that its connections end with it. Always fork, because only a
        # forked child inherits the store.
        context = original(
            run_rank, args=(ranks.rank, function, args), nprocs=1, join=False, start_method="fork"
        )
        while not context.join(timeout=0.2):
            if ranks.any_failed():
                # When a rank fails, end the others, as torch.multiprocessing does.
                for process in context.processes:
                    process.kill()
                break
    except Exception:
        ranks.report_failure(traceback.format_exc())
        raise
    if not ranks.any_failed():
        ranks.report_cells([changed_cells(old, shared[number]) for number, old in enumerate(before)])
    if ranks.rank:
        sys.exit(0)  # only rank 0 prints OBSERVED
    for cells_of_rank in ranks.all_cells():
        for number, cells in enumerate(cells_of_rank):
            for index, value in cells:
                shared[number].view(-1)[index] = value


def changed_cells(before: Any, after: Any) -> Cells:
    """The cells in which two tensors differ, with their values in the second."""
    old, new = before.flatten().tolist(), after.flatten().tolist()
    return [[index, value] for index, value in enumerate(new) if old[index] != value]


def main() -> None:
    """Run the script that the command line names, as one of torchrun's ranks."""
    if len(sys.argv) != 2 or "RANK" not in os.environ:
        sys.exit("usage: torchrun --nnodes 2 --nproc-per-node 1 ... ranks.py SCRIPT")
    script = os.path.abspath(sys.argv[1])
    try:
        with open(script, encoding="utf-8") as file:
            text = file.read()
    except OSError as error:
        sys.exit(f"ranks.py: {script} cannot be read: {error.strerror}")
    if not any(launch in text for launch in LAUNCHES):
        sys.exit(f"ranks.py: {script} starts no ranks: run it without torchrun")
    # Set these as `python SCRIPT` does: the folder of the script comes first, not the folder of this file.
    sys.path[0], sys.argv = os.path.dirname(script), [script]
    ranks = Ranks()
    launcher = vars(importlib.import_module("torch.multiprocessing"))
    replacement = functools.partial(start_processes, launcher["start_processes"], ranks)
    launcher["start_processes"] = launcher["spawn"] = replacement
    ranks.dist.init_process_group = functools.partial(  # type: ignore[attr-defined]
        init_process_group, ranks.dist.init_process_group, ranks
    )
    runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    main()
