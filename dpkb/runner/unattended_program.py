"""Runs a program for a server: without input and terminal, and no process of it is left afterwards.

Its folder and its variables are those of the server; nothing confines it.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from dpkb.errors import DpkbError, Stopped
from dpkb.runner import processes
from dpkb.runner.confinement import Confinement
from dpkb.runner.launch import MARK, Program, Running
from dpkb.runner.scratch import RunFolders, scratch_folder
from dpkb.runner.supervisor_client import StartRefused, SupervisedProgram, request

# How long a program may take to end when it is asked to; after that it is killed.
_GRACE = 5.0
# Output on disk is dropped when it is longer than this; only the end of it is ever read.
_MOST_ON_DISK = 64 << 20


@dataclass(frozen=True)
class UnattendedEnd:
    """How a program ended: its exit code (-n: by signal n; None: it was killed), and its last output."""

    code: int | None
    output: bytes
    timed_out: bool


def run_unattended(
        argv: list[str], seconds: float, stop: threading.Event, most: int = 64 << 10) -> UnattendedEnd:
    """Run a program to its end, at most this many seconds, and keep the last `most` bytes of its output.

    argv[0] is a path. Raises Stopped when `stop` is set, and DpkbError if no program can be started.
    """
    deadline = time.monotonic() + seconds
    with scratch_folder() as scratch:
        output = scratch / "output"
        output.touch()
        folders = RunFolders(Path.cwd(), scratch, scratch, output, output, None)
        running = _start(argv, folders, stop)
        try:
            code, timed_out = None, False
            with contextlib.suppress(ConnectionError):  # its supervisor was killed
                while (code := running.ended(0.05)) is None and not stop.is_set():
                    if timed_out := time.monotonic() > deadline:
                        code = _wait_after_asking(running)
                        break
                    if output.stat().st_size > _MOST_ON_DISK:
                        os.truncate(output, 0)  # it is opened for appending, so this leaves no hole
                if stop.is_set():
                    _wait_after_asking(running)
        finally:
            running.end_all()
        if stop.is_set():
            raise Stopped
        return UnattendedEnd(code, _end_of(output, most), timed_out)


def _start(argv: list[str], folders: RunFolders, stop: threading.Event) -> Running:
    env = {**os.environ, MARK: secrets.token_hex(8)}
    try:
        if sys.platform != "linux":
            return Program(argv, env, folders)
        # Its supervisor ends everything also if the server is killed.
        return SupervisedProgram(request(argv, env, folders, Confinement()), env, stop)
    except StartRefused as refusal:
        raise DpkbError(f"{argv[0]}: cannot be started: {refusal}") from None


def _wait_after_asking(running: Running) -> int | None:
    """Ask a program to end, so that it removes what it leaves in temporary folders. Its exit code."""
    # The first below the supervisor is the program, which ends what it has started.
    below = processes.descendants(running.pid) if sys.platform == "linux" else [running.pid]
    processes.ask_to_end(below[:1])
    deadline, code = time.monotonic() + _GRACE, None
    while code is None and time.monotonic() < deadline:
        code = running.ended(0.05)
    return code


def _end_of(path: Path, most: int) -> bytes:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - most))
        return file.read()
