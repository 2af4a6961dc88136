"""Starts helper programs, lists the processes below them, and ends them."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import psutil

from dpkb.errors import Stopped
from dpkb.guest import processes as guest_processes

_started_lock = threading.Lock()
# The programs that start_in_new_session() started.
_started: list[subprocess.Popen[bytes]] = []


def start_in_new_session(argv: list[str], **options: Any) -> subprocess.Popen[bytes]:
    """Start a program in a new session. Raises OSError."""
    with _started_lock:
        _started[:] = [process for process in _started if process.returncode is None]
        process = subprocess.Popen(argv, start_new_session=True, **options)
        _started.append(process)
    return process


def adopt_orphans() -> None:
    """Make dpkb the new parent of processes below it whose parents have ended. Linux only. Raises OSError."""
    if sys.platform == "linux":
        from dpkb.guest import kernel

        kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)


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


def end_tree(process: subprocess.Popen[bytes], marked: Callable[[], list[int]] = list) -> None:
    """Kill a program and every process below it; return when they are gone.

    marked: lists further processes of the program.
    """
    seen: dict[int, psutil.Process] = {}  # a killed process can outlive its parent for a moment

    def find_members() -> list[int]:
        if process.poll() is None:
            for pid in [*find_descendants(process.pid), process.pid]:
                with contextlib.suppress(psutil.Error):
                    seen.setdefault(pid, psutil.Process(pid))
        return _find_alive(seen.values()) + marked()

    guest_processes.end_all(find_members, _read_command_line)
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
    end_tree(process, lambda: _find_alive(left))


def _find_alive(members: Iterable[psutil.Process]) -> list[int]:
    """The ids of the processes that have not ended."""
    pids = []
    for process in members:
        with contextlib.suppress(psutil.Error):
            if process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
                pids.append(process.pid)
    return pids


def end_orphans() -> None:
    """Kill every process that dpkb adopted because its parents were killed, and those below it."""
    guest_processes.end_all(find_orphans, _read_command_line)


def find_orphans() -> list[int]:
    """The adopted processes and those below them, without helpers in dpkb's own session."""
    if sys.platform != "linux":
        return []
    with _started_lock:
        ours = {process.pid for process in _started if process.returncode is None}
        while True:
            adopted = [
                pid
                for pid in guest_processes.find_children(os.getpid())
                if pid not in ours and _is_in_other_session(pid)
            ]
            # If one of them has ended, dpkb has adopted its children too, and they are not in the list yet.
            if not any([_reap(pid) for pid in adopted]):
                return [pid for child in adopted for pid in (child, *guest_processes.find_descendants(child))]


def _is_in_other_session(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return os.getsid(pid) != os.getsid(0)
    return False


def _reap(pid: int) -> bool:
    """Collect a child if it has ended; True if it is no child any more."""
    with contextlib.suppress(ChildProcessError):
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    return True


def _read_command_line(pid: int) -> bytes:
    with contextlib.suppress(psutil.Error):
        return "\0".join(psutil.Process(pid).cmdline()).encode("utf-8", "surrogateescape")
    return b""


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
