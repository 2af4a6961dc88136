"""Where the processes of a hanging command are waiting."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence

import psutil

from dpkb.text import escape_controls

# py-spy may wait for a process that does not react. After this many seconds, its stack is left out.
_DUMP_SECONDS = 20.0


def describe_stacks(pid: int, options: Sequence[str] = ()) -> str:
    """The stack of each Python process from `pid` down, from py-spy; without py-spy, how to install it.

    Each begins with the rank of the process, if its environment has one. options: of py-spy dump.
    """
    tool = shutil.which("py-spy") or shutil.which("py-spy", path=os.path.dirname(sys.executable))
    if tool is None:
        return "Install py-spy (pip install py-spy) to see where each process is waiting."
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


def _find_rank(process: psutil.Process) -> str:
    """The rank that torchrun gave a process, or Slurm; empty if there is none."""
    with contextlib.suppress(psutil.Error, OSError):
        environment = process.environ()
        rank = environment.get("RANK") or environment.get("SLURM_PROCID", "")
        return rank if rank.isdecimal() else ""
    return ""
