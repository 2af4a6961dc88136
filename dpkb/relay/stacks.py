"""Where the processes of a hanging command are waiting."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import psutil

from dpkb.errors import DpkbError
from dpkb.text import escape_controls

# py-spy may wait for a process that does not react. After this many seconds, its stack is left out.
_DUMP_SECONDS = 20.0
# How often the stacks of a job are taken, to see which of them change.
_ROUNDS, _SECONDS_BETWEEN = 3, 2.0


def describe_stacks(pid: int, options: Sequence[str] = ()) -> str:
    """The stack of each Python process from `pid` down, from py-spy; without py-spy, how to install it.

    Each begins with the rank of the process, if its environment has one. options: of py-spy dump.
    """
    tool = _find_tool()
    if tool is None:
        return "\n".join(
            ["Install py-spy (pip install py-spy) to see where each process is waiting.", *_ask_system(pid)]
        )
    stacks = ["Its processes are here:"]
    try:
        leader = psutil.Process(pid)
        for member in (leader, *leader.children(recursive=True)):
            with contextlib.suppress(psutil.Error, subprocess.TimeoutExpired):
                # The name would leave out workers of a DataLoader, which torch renames, and torchrun.
                if "python" in os.path.basename(member.exe()).lower():
                    dump = subprocess.run(
                        [tool, "dump", "--pid", str(member.pid), *options],
                        errors="replace",
                        capture_output=True,
                        timeout=_DUMP_SECONDS,
                        check=False,
                    )
                    rank = _find_rank(member)
                    lines = (dump.stdout or dump.stderr).strip().splitlines()
                    stacks += [f"[rank{rank}] {line}" for line in lines] if rank else lines
    except psutil.Error:
        pass  # it has ended
    except OSError as error:
        stacks = [
            f"{tool} cannot be run: {error.strerror}. Install it again (pip install py-spy) to see "
            "where each process is waiting."
        ]
    return escape_controls("\n".join(stacks))


def _find_tool() -> str | None:
    return shutil.which("py-spy") or shutil.which("py-spy", path=os.path.dirname(sys.executable))


def take_stacks(pids: Sequence[int], options: Sequence[str] = ()) -> str:
    """The stacks of these processes and of those below them, three times. Raises DpkbError if one cannot be read.

    Nothing is sent to the processes. py-spy pauses each for some milliseconds, but not with --nonblocking.
    """
    for pid in pids:
        try:
            process = psutil.Process(pid)
            if os.name == "posix" and os.getuid() not in (0, process.uids().real):
                raise DpkbError(
                    f"process {pid} belongs to {process.username()}: run dpkb as this user, or as root"
                )
        except psutil.Error:
            raise DpkbError(f"there is no process {pid}, or it has ended") from None
    texts = []
    for round_ in range(_ROUNDS if _find_tool() else 1):
        time.sleep(_SECONDS_BETWEEN * (round_ > 0))
        texts += [describe_stacks(pid, options) for pid in pids]
    return "\n".join(texts)


def _ask_system(pid: int) -> Iterator[str]:
    """What the system tells of each process from `pid` down: little, but more than nothing."""
    with contextlib.suppress(psutil.Error):
        leader = psutil.Process(pid)
        for member in (leader, *leader.children(recursive=True)):
            waits = ""
            with contextlib.suppress(OSError):
                waits = Path(f"/proc/{member.pid}/wchan").read_text()
            where = f", in {waits} of the kernel" if waits.strip("0") else ""
            yield f"process {member.pid} ({member.name()}) is {member.status()}{where}"


def _find_rank(process: psutil.Process) -> str:
    """The rank that torchrun gave a process, or Slurm; empty if there is none."""
    with contextlib.suppress(psutil.Error, OSError):
        environment = process.environ()
        rank = environment.get("RANK") or environment.get("SLURM_PROCID", "")
        return rank if rank.isdecimal() else ""
    return ""
