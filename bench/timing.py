"""Measures the wall and processor time of one whole process."""

from __future__ import annotations

import resource
import subprocess
import time
from pathlib import Path
from typing import NamedTuple


class Seconds(NamedTuple):
    """The time of a process. Other work on the machine adds to the wall time, and little to the CPU time."""

    wall: float
    cpu: float


def time_process(
    command: list[str], env: dict[str, str] | None = None, cwd: Path | str | None = None, check: bool = True
) -> Seconds:
    """Run a command and drop its output. Raises CalledProcessError if it fails.

    check: if False, the command may fail, and its messages are dropped too.
    """
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        command,
        env=env,
        cwd=cwd,
        stdout=subprocess.DEVNULL,
        stderr=None if check else subprocess.DEVNULL,
        check=check,
    )
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Seconds(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
