"""Starts helper programs, lists the processes below them, and ends them."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
import time
from collections.abc import Iterable
from pathlib import Path

import psutil

from dpkb.errors import Stopped
from dpkb.guest import processes as guest_processes


def find_descendants(pid: int) -> list[int]:
    """All processes below `pid`."""
    if sys.platform == "linux":
        return guest_processes.find_descendants(pid)
    with contextlib.suppress(psutil.Error):
        return [child.pid for child in psutil.Process(pid).children(recursive=True)]
    return []


def is_stopped(pid: int) -> bool:
    """Whether `pid` or a process below it is stopped by a signal."""
    for member in (pid, *find_descendants(pid)):
        with contextlib.suppress(psutil.Error):
            if psutil.Process(member).status() == psutil.STATUS_STOPPED:
                return True
    return False


def end_tree(process: subprocess.Popen[bytes], others: Iterable[psutil.Process] = ()) -> None:
    """Kill a program, every process below it, and these others; return when they are gone."""
    # A killed process can outlive its parent for a moment.
    seen = {other.pid: other for other in others}

    def find_members() -> list[int]:
        if process.poll() is None:
            for pid in [*find_descendants(process.pid), process.pid]:
                with contextlib.suppress(psutil.Error):
                    seen.setdefault(pid, psutil.Process(pid))
        return _find_alive(seen.values())

    guest_processes.end_all(find_members)
    process.wait()


def ask_to_end(pids: list[int]) -> list[psutil.Process]:
    """Send SIGTERM to each of these processes. Returns those that were still there."""
    asked = []
    for pid in pids:
        with contextlib.suppress(psutil.Error):
            process = psutil.Process(pid)
            process.terminate()
            asked.append(process)
    return asked


def end_gracefully(process: subprocess.Popen[bytes], seconds: float = 3) -> None:
    """Send SIGTERM to a program and every process below it; kill those left after this many seconds."""
    asked = ask_to_end([*find_descendants(process.pid), process.pid])
    left = psutil.wait_procs(asked, timeout=seconds)[1]
    end_tree(process, left)


def _find_alive(members: Iterable[psutil.Process]) -> list[int]:
    """The ids of the processes that have not ended."""
    pids = []
    for process in members:
        with contextlib.suppress(psutil.Error):
            if process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
                pids.append(process.pid)
    return pids


def run_helper(
    argv: list[str],
    env: dict[str, str] | None = None,
    seconds: float = 60,
    errors: bool = False,
    stop: threading.Event | None = None,
    cwd: Path | None = None,
) -> tuple[int, str]:
    """Run a helper program and return its exit code and its stdout. errors: include its stderr.

    The code is 127 if the program cannot start or takes longer than this many seconds. When `stop` is set,
    ends the program and raises Stopped.
    """
    try:
        process = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            env=env,
            cwd=cwd,
            stderr=subprocess.STDOUT if errors else subprocess.DEVNULL,
        )
    except OSError as error:
        return 127, str(error) if errors else ""
    deadline = time.monotonic() + seconds
    try:
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                output = process.communicate(timeout=0.1)[0]
                return process.returncode, output.decode("utf-8", "replace")
            if stop and stop.is_set():
                raise Stopped
            if time.monotonic() > deadline:
                return 127, f"no end after {seconds:g} s" if errors else ""
    finally:
        end_tree(process)
        if process.stdout:
            process.stdout.close()
