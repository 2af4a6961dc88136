"""Runs a program for a server: without input and terminal, and leaves no process of it.

The program has the working folder and the variables of the server. Nothing confines it.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from dpkb.errors import DpkbError, Stopped
from dpkb.runner import processes
from dpkb.runner.confinement import Confinement
from dpkb.runner.launch import RunningProgram, UnsupervisedProgram
from dpkb.runner.scratch import RunFolders, scratch_folder
from dpkb.runner.supervisor_client import StartRefused, start_program

# A program that takes longer than this to end after SIGTERM is killed.
_GRACE_SECONDS = 5.0
# Longer output on disk is deleted; only its end is read.
_MAX_BYTES_ON_DISK = 64 << 20


@dataclass(frozen=True)
class UnattendedEnd:
    """How a program ended: its exit code (-n: by signal n; None: it was killed), and its last output."""

    code: int | None
    output: bytes
    timed_out: bool


def run_unattended(
    argv: list[str], seconds: float, stop: threading.Event, max_bytes: int = 64 << 10
) -> UnattendedEnd:
    """Run a program for at most this many seconds, and keep the last bytes of its output.

    argv[0] is a path. Raises Stopped when `stop` is set, and DpkbError if the program cannot be started.
    """
    deadline = time.monotonic() + seconds
    with scratch_folder() as scratch:
        output = scratch / "output"
        output.touch()
        folders = RunFolders(
            work=Path.cwd(), home=scratch, hosts=None, stdout=output, stderr=output, spool=None
        )
        running = _start(argv, folders)
        try:
            code, timed_out = None, False
            with contextlib.suppress(ConnectionError):  # its supervisor was killed
                while (code := running.wait_for_end(0.05)) is None and not stop.is_set():
                    if timed_out := time.monotonic() > deadline:
                        code = _wait_after_asking(running)
                        break
                    if output.stat().st_size > _MAX_BYTES_ON_DISK:
                        os.truncate(output, 0)  # no hole is left, because it is opened for appending
                if stop.is_set():
                    _wait_after_asking(running)
        except StartRefused as refusal:
            raise DpkbError(f"{argv[0]}: cannot be started: {refusal}") from None
        finally:
            running.end_all()
        if stop.is_set():
            raise Stopped
        return UnattendedEnd(code, _read_end(output, max_bytes), timed_out)


def _start(argv: list[str], folders: RunFolders) -> RunningProgram:
    env = dict(os.environ)
    if sys.platform != "linux":
        return UnsupervisedProgram(argv, env, folders)
    # If the server is killed, the supervisor still ends every process of the program.
    return start_program(argv, env, folders, Confinement())


def _wait_after_asking(running: RunningProgram) -> int | None:
    """Send SIGTERM to a program, so that it can remove its temporary files, and wait: its exit code."""
    # The first process below the supervisor is the program. It ends the processes that it started.
    below = processes.find_descendants(running.pid) if sys.platform == "linux" else [running.pid]
    processes.ask_to_end(below[:1])
    deadline, code = time.monotonic() + _GRACE_SECONDS, None
    while code is None and time.monotonic() < deadline:
        code = running.wait_for_end(0.05)
    return code


def _read_end(path: Path, max_bytes: int) -> bytes:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - max_bytes))
        return file.read()
