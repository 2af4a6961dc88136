"""Runs programs under limits until they end, and leaves no process and no file of them.

Output goes to files, never through a pipe: a worker that outlives the program would keep a pipe open.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from dpkb import files
from dpkb.errors import Stopped
from dpkb.model import Needs
from dpkb.run_records import ExceededLimit, Limit, ProcessEnd
from dpkb.runner import processes
from dpkb.runner.confinement import Confinement
from dpkb.runner.limits import LimitGuard, Limits
from dpkb.runner.scratch import RunFolders, run_folders
from dpkb.runner.supervisor_client import StartRefused, SupervisedProcess, start_program

_CHUNK = 64 * 1024
# These name folders and network interfaces of the user. A script has private ones and must not see them.
_FOLDER_VARIABLES = {
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "XDG_RUNTIME_DIR",
    "TORCH_HOME",
    "TORCHINDUCTOR_CACHE_DIR",
    "TRITON_CACHE_DIR",
    "TRITON_HOME",
    "MPLCONFIGDIR",
    "HF_HOME",
    "NUMBA_CACHE_DIR",
}
_INTERFACE_VARIABLES = {"GLOO_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME", "TP_SOCKET_IFNAME"}


@dataclass(frozen=True)
class Program:
    """A program to run. fork_server: forks argv[-1], a script of Python, instead."""

    argv: list[str]
    env: dict[str, str]
    needs: Needs
    confinement: Confinement
    fork_server: socket.socket | None = None


def run_to_end(
    program: Program, limits: Limits, stop: threading.Event, on_output: Callable[[str, bytes], None]
) -> ProcessEnd:
    """Run a program in new folders until it ends or exceeds a limit.

    on_output takes ("stdout" or "stderr", bytes) while the program writes. Raises Stopped when `stop` is
    set. Afterwards no process and no file of the run is left.
    """
    with run_folders() as folders, folders.stdout.open("rb") as out, folders.stderr.open("rb") as err:
        streams = [_Output("stdout", out, on_output), _Output("stderr", err, on_output)]
        guard = LimitGuard(limits, folders.writable)
        started = time.monotonic()
        code, exceeded, error = None, None, ""
        try:
            running = _start(program, folders, limits)
            try:
                code, exceeded = _wait(running, started, limits, stop, streams, guard)
            finally:
                seconds = time.monotonic() - started
                running.end_all()
        except StartRefused as refusal:
            return ProcessEnd(None, error=f"it could not be started ({refusal})")
        except ConnectionError as lost:
            error = str(lost)
        for stream in streams:
            stream.pass_on(limits.output_bytes)
    if stop.is_set():
        raise Stopped
    if code is None or exceeded:
        return ProcessEnd(None, exceeded=exceeded, seconds=seconds, error=error)
    return ProcessEnd(code, seconds=seconds) if code >= 0 else ProcessEnd(None, -code, seconds=seconds)


def _wait(
    running: RunningProgram,
    started: float,
    limits: Limits,
    stop: threading.Event,
    streams: list[_Output],
    guard: LimitGuard,
) -> tuple[int | None, ExceededLimit | None]:
    """Wait for the end, a limit or `stop`: the exit code, if any, and the limit that was exceeded, if any.

    Raises StartRefused, and ConnectionError if the program's supervisor was killed.
    """
    while True:
        code = running.wait_for_end(0.05)
        for stream in streams:
            stream.pass_on(limits.output_bytes)
            if stream.measure_size() > limits.output_bytes:
                words = f"more than {limits.output_bytes >> 20} MiB written to {stream.name}"
                return None, ExceededLimit(Limit.OUTPUT, words)
        if code is not None or stop.is_set():
            return code, None
        if time.monotonic() - started > limits.seconds:
            stopped = ", stopped by a signal" if processes.is_stopped(running.pid) else ""
            return None, ExceededLimit(Limit.TIME, f"still running after {limits.seconds:g} s{stopped}")
        if exceeded := guard.find_exceeded_limit(running.pid):
            return None, exceeded


def _start(program: Program, folders: RunFolders, limits: Limits) -> RunningProgram:
    env, needs = _set_run_folders(program.env, folders), program.needs
    if sys.platform != "linux":
        return UnsupervisedProgram(program.argv, env, folders, needs.open_files)
    if program.confinement.active:  # which has only the loopback interface
        env = {name: value for name, value in env.items() if name not in _INTERFACE_VARIABLES}
    shm_here = files.measure_disk(Path("/dev/shm"))[0] or 64 << 20
    shm_bytes = min(shm_here, limits.memory_here // 2) if needs.shm_mb is None else needs.shm_mb << 20
    return start_program(
        program.argv,
        env,
        folders,
        program.confinement,
        needs.open_files,
        shm_bytes,
        program.fork_server,
    )


def _set_run_folders(env: dict[str, str], folders: RunFolders) -> dict[str, str]:
    """The variables with the run's folders instead of the user's."""
    kept = {name: value for name, value in env.items() if name not in _FOLDER_VARIABLES}
    temporary = ["TMPDIR"] if os.name == "posix" else ["TMPDIR", "TEMP", "TMP"]
    homes = ["HOME"] if os.name == "posix" else ["HOME", "USERPROFILE"]
    return {
        **kept,
        **dict.fromkeys(temporary, str(folders.work)),
        **dict.fromkeys(homes, str(folders.home)),
    }


class _Output:
    """One output of a run: the script appends to its file, and dpkb reads it while it grows."""

    def __init__(self, name: str, file: BinaryIO, on_output: Callable[[str, bytes], None]) -> None:
        self.name, self._file, self._on_output = name, file, on_output
        self._passed = 0

    def measure_size(self) -> int:
        """The bytes of the file, or a quarter of its space on disk if that is more.

        A script can reserve disk space without writing.
        """
        status = os.fstat(self._file.fileno())
        return max(status.st_size, getattr(status, "st_blocks", 0) * 512 // 4)

    def pass_on(self, max_bytes: int) -> None:
        """Pass on the new bytes since the last call, but not more than the first `max_bytes` of the file."""
        while self._passed < max_bytes and (chunk := self._file.read(min(_CHUNK, max_bytes - self._passed))):
            self._passed += len(chunk)
            self._on_output(self.name, chunk)


class UnsupervisedProgram:
    """A program without a supervisor. dpkb ends its orphans with its process group."""

    def __init__(
        self, argv: list[str], env: dict[str, str], folders: RunFolders, open_files: int | None = None
    ) -> None:
        if open_files is not None:
            argv = ["sh", "-c", f'ulimit -n {open_files} && exec "$@"', "sh", *argv]
        with folders.stdout.open("ab") as out, folders.stderr.open("ab") as err:
            self._process = subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                cwd=folders.work,
                env=env,
                start_new_session=True,
            )
        self.pid = self._process.pid

    def wait_for_end(self, seconds: float) -> int | None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=seconds)
        return self._process.returncode

    def end_all(self) -> None:
        with contextlib.suppress(OSError, AttributeError):  # Windows has no process groups
            os.killpg(self.pid, signal.SIGKILL)
        processes.end_tree(self._process)


# A program after its start: both kinds have pid, wait_for_end() and end_all().
RunningProgram = SupervisedProcess | UnsupervisedProgram
