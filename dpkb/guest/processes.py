"""Lists the processes below a process, and ends processes until none of them is left.

Runs under any Python from 3.8 on; imports only the standard library. dpkb itself imports it too.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time

MYPY = False
if MYPY:
    from collections.abc import Callable

# The most processes and threads of a script. torch starts a thread for each core in each process.
MAX_TASKS = 512 + 32 * (os.cpu_count() or 1)
# These processes remove the shared memory of ended processes and then exit: Python's resource tracker
# (semaphores) and torch's manager (segments of the "file_system" strategy), which first waits two seconds.
CLEANERS = (b"multiprocessing.resource_tracker", b"torch_shm_manager")
CLEANER_SECONDS = 8.0
# A process that is still there after this long cannot be ended: it waits inside the kernel.
GIVE_UP_SECONDS = 60.0


def find_children(pid: int) -> list[int]:
    """The processes whose parent is `pid`, zombies included."""
    pids: list[int] = []
    with contextlib.suppress(OSError):  # it has ended
        for task in os.listdir(f"/proc/{pid}/task"):
            with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{task}/children", "rb") as file:
                pids += map(int, file.read().split())
    return pids


def find_descendants(pid: int) -> list[int]:
    """All processes below `pid`, zombies included."""
    # Each counts once: a process whose parent ends meanwhile is found again, as a child of its new parent.
    pids: dict[int, None] = {}
    unvisited = [pid]
    while unvisited:
        below = [child for child in find_children(unvisited.pop()) if child not in pids]
        pids.update(dict.fromkeys(below))
        unvisited += below
    return list(pids)


def read_command_line(pid: int) -> bytes:
    """The arguments of a process as bytes; empty if it has ended."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/cmdline", "rb") as file:
        return file.read()
    return b""


def reap() -> dict[int, int]:
    """Collect the children that have ended: their statuses by process id."""
    statuses = {}
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                break
            statuses[pid] = status
    return statuses


def end_all(members: Callable[[], list[int]]) -> None:
    """Kill every process that members() lists, until it lists none. Cleaners get a few seconds to finish."""
    started = time.monotonic()
    while True:
        pids, elapsed = members(), time.monotonic() - started
        if not pids or elapsed > GIVE_UP_SECONDS:
            return
        for pid in pids:
            name = read_command_line(pid) if elapsed < CLEANER_SECONDS else b""
            if not any(cleaner in name for cleaner in CLEANERS):
                with contextlib.suppress(OSError):
                    os.kill(pid, getattr(signal, "SIGKILL", signal.SIGTERM))  # Windows: SIGTERM ends at once
        time.sleep(0.002 if elapsed < 1 else 0.05)
