"""Runs other programs under limits and leaves nothing behind. The only importer of subprocess.

Output goes to files, never through a pipe read to its end: an orphan worker would hold it open.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

import psutil

from dpkb.entry import Ended, Needs
from dpkb.errors import Stopped

# Marks every process of one run through its environment, so that also an orphan that left the
# session is found when the run ends.
MARK = "DPKB_RUN"
_CHUNK = 64 * 1024
_TRACKER = "multiprocessing.resource_tracker"


@dataclass(frozen=True)
class Limits:
    """What one script may use before it is stopped. Output is per stream."""

    seconds: float = 120.0
    output_bytes: int = 16 << 20
    memory_bytes: int = 8 << 30


class Running(Protocol):
    """A program that was started: cold, in an interpreter of its own, or as a fork of a template."""

    pid: int

    def ended(self, seconds: float) -> int | None:
        """Wait at most this long for its end: its exit code (negative: the signal), or None."""

    def end_all(self) -> None:
        """Kill every process of it, and wait until they are gone."""


# Starts a program in the folder `work` with its output appended to these two files.
Start = Callable[[Path, Path, Path], Running]


def run(start: Start, limits: Limits, stop: threading.Event,
        on_output: Callable[[str, bytes], None]) -> Ended:
    """Run a program in a fresh folder and session until it ends or reaches a limit.

    on_output takes ("stdout" or "stderr", bytes) as they are written. Raises Stopped when `stop`
    is set. Nothing of the run is left afterwards: no process, no file.
    """
    with tempfile.TemporaryDirectory(prefix="dpkb-", ignore_cleanup_errors=True) as folder:
        work = Path(folder, "w")
        work.mkdir()
        streams = [_Stream(name, Path(folder, name), on_output) for name in ("stdout", "stderr")]
        try:
            started = time.monotonic()
            running = start(work, *(stream.path for stream in streams))
            try:
                code, limit = _wait(running, started, limits, stop, streams)
                seconds = time.monotonic() - started
            finally:
                running.end_all()
            for stream in streams:
                stream.read_on(limits.output_bytes)
        finally:
            for stream in streams:
                stream.close()
    if stop.is_set():
        raise Stopped
    if limit or code is None:
        return Ended(None, None, limit, seconds)
    return Ended(code, None, None, seconds) if code >= 0 else Ended(None, -code, None, seconds)


def cold(argv: list[str], env: dict[str, str]) -> Start:
    """Starts argv as a program of its own."""
    return lambda work, stdout, stderr: _Program(argv, env, work, stdout, stderr)


def _wait(running: Running, started: float, limits: Limits, stop: threading.Event,
          streams: list[_Stream]) -> tuple[int | None, str | None]:
    """Wait for the end: the exit code, or None and the limit that was reached."""
    look_at_memory = started + 0.5
    while True:
        code = running.ended(0.05)
        for stream in streams:
            stream.read_on(limits.output_bytes)
            if stream.size() > limits.output_bytes:
                return None, f"more than {limits.output_bytes >> 20} MiB written to {stream.name}"
        now = time.monotonic()
        if code is not None or stop.is_set():
            return code, None
        if now - started > limits.seconds:
            return None, f"still running after {limits.seconds:g} s"
        if now > look_at_memory:
            look_at_memory = now + 0.5
            if _uses_more(running.pid, limits.memory_bytes):
                return None, f"more than {limits.memory_bytes / 2**30:g} GiB of memory"


class _Stream:
    """One output file of a run: written by the script, read here as it grows."""

    def __init__(self, name: str, path: Path, on_output: Callable[[str, bytes], None]) -> None:
        self.name = name
        self.path = path
        path.touch()
        self._reader = path.open("rb")
        self._on_output = on_output
        self._given = 0

    def size(self) -> int:
        return os.fstat(self._reader.fileno()).st_size

    def read_on(self, most: int) -> None:
        """Hand on what was written since the last call, up to `most` bytes of the whole file."""
        while self._given < most and (chunk := self._reader.read(min(_CHUNK, most - self._given))):
            self._given += len(chunk)
            self._on_output(self.name, chunk)

    def close(self) -> None:
        self._reader.close()


def _uses_more(pid: int, limit: int) -> bool:
    """Whether a process and its children use more memory than this, pages they share counted once."""
    processes = []
    with contextlib.suppress(psutil.Error):
        leader = psutil.Process(pid)
        processes = [leader, *leader.children(recursive=True)]
    # The first figure is cheap, but counts what forks share once for each; the second takes a walk.
    return sum(map(_private, processes)) > limit and sum(map(_proportional, processes)) > limit


def _private(process: psutil.Process) -> int:
    with contextlib.suppress(psutil.Error):
        memory = process.memory_info()
        return memory.rss - getattr(memory, "shared", 0)
    return 0


def _proportional(process: psutil.Process) -> int:
    with contextlib.suppress(psutil.Error):
        memory = process.memory_full_info()
        return getattr(memory, "pss", memory.uss)
    return 0


class _Program:
    """A program started as usual, marked through its environment so that its orphans are found."""

    def __init__(self, argv: list[str], env: dict[str, str], work: Path, stdout: Path, stderr: Path) -> None:
        self._mark = secrets.token_hex(8)
        with stdout.open("ab") as out, stderr.open("ab") as err:
            self._process = subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, stdout=out, stderr=err, cwd=work,
                env={**env, MARK: self._mark, "TMPDIR": str(work)}, start_new_session=True,
            )
        self.pid = self._process.pid

    def ended(self, seconds: float) -> int | None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=seconds)
        return self._process.returncode

    def end_all(self) -> None:
        """Kill the group, the tree, and whatever carries the mark."""
        trackers = []
        for _ in range(50):
            members = [p for p in psutil.process_iter() if self._owns(p) and p not in trackers]
            if not members:
                break
            for member in members:
                # Python's tracker removes the semaphores that the others leave, then ends by itself.
                if _is_tracker(member):
                    trackers.append(member)
                else:
                    with contextlib.suppress(psutil.Error):
                        member.kill()
            psutil.wait_procs([m for m in members if m not in trackers], timeout=0.2)
        _, slow = psutil.wait_procs(trackers, timeout=1.0)
        for tracker in slow:
            with contextlib.suppress(psutil.Error):
                tracker.kill()
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=5)

    def _owns(self, candidate: psutil.Process) -> bool:
        try:
            if candidate.pid == self.pid:
                return self._process.poll() is None
            if candidate.status() == psutil.STATUS_ZOMBIE:
                return False
            if hasattr(os, "getsid") and os.getsid(candidate.pid) == self.pid:
                return True
            return candidate.environ().get(MARK) == self._mark
        except (psutil.Error, OSError):
            return False


def _is_tracker(candidate: psutil.Process) -> bool:
    with contextlib.suppress(psutil.Error):
        return any(_TRACKER in argument for argument in candidate.cmdline())
    return False


def serve(argv: list[str], env: dict[str, str]) -> subprocess.Popen:
    """Start a helper that serves until its standard input is closed. Its stdout can be read."""
    return subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                            env=env, start_new_session=True)


def capture(argv: list[str], env: dict[str, str] | None = None, seconds: float = 60,
            errors: bool = False) -> tuple[int, str]:
    """Exit code and stdout (with stderr, if errors) of a helper program; code 127 where it cannot start."""
    try:
        done = subprocess.run(
            argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if errors else subprocess.DEVNULL,
            timeout=seconds, env=env, check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return 127, str(error) if errors else ""
    return done.returncode, done.stdout.decode("utf-8", "replace")


def within_limits(argv: list[str], needs: Needs) -> tuple[list[str] | None, str]:
    """The command with the small /dev/shm or descriptor limit that its script asks for.

    (None, reason) where this machine cannot set that up.
    """
    wrapped = argv
    if needs.open_files is not None:
        if shutil.which("sh") is None:
            return None, f"a limit of {needs.open_files} open files cannot be set here"
        wrapped = ["sh", "-c", f'ulimit -n {needs.open_files} && exec "$@"', "sh", *wrapped]
    if needs.shm_mb is not None:
        namespace = _mount_namespace()
        if namespace is None:
            return None, (
                f"a private /dev/shm of {needs.shm_mb} MB needs Linux and the right to mount: "
                "root, or unprivileged user namespaces"
            )
        mount = f'mount -t tmpfs -o size={needs.shm_mb}m tmpfs /dev/shm && exec "$@"'
        wrapped = [*namespace, "sh", "-c", mount, "sh", *wrapped]
    return wrapped, ""


def may_mount() -> bool:
    """Whether a process may give itself mounts of its own as it is, without a user namespace."""
    command = _mount_namespace()
    return command is not None and "-r" not in command


@lru_cache(maxsize=1)
def _mount_namespace() -> list[str] | None:
    """The command that starts a program with mounts of its own; None where the kernel refuses."""
    unshare = shutil.which("unshare")
    if sys.platform != "linux" or unshare is None:
        return None
    trial = "mount -t tmpfs -o size=1m tmpfs /dev/shm"
    for command in ([unshare, "-m"], [unshare, "-r", "-m"]):
        if capture([*command, "sh", "-c", trial], seconds=10)[0] == 0:
            return command
    return None


@contextlib.contextmanager
def bytecode_cache(env: dict[str, str], folder: Path | None) -> Iterator[dict[str, str]]:
    """The environment with a place for compiled bytecode: `folder`, or one for this command only.

    For an interpreter that keeps none: every process a script starts would compile all of torch.
    """
    with contextlib.ExitStack() as stack:
        if folder is None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="dpkb-pyc-")))
        changed = {k: v for k, v in env.items() if k != "PYTHONDONTWRITEBYTECODE"}
        yield {**changed, "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}
