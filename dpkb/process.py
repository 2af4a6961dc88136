"""Runs other programs under limits and leaves nothing behind. One of two importers of subprocess.

Output goes to files, never through a pipe read to its end: an orphan worker would hold it open.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

import psutil

from dpkb.cleaners import PATIENCE, is_cleaner
from dpkb.entry import Ended, Needs
from dpkb.errors import Stopped
from dpkb.supervised import MARK, Reached, Refused, Supervised
from dpkb.usage import Limits, Watch, stands_still

_CHUNK = 64 * 1024
_SUPERVISOR = Path(__file__).with_name("supervisor.py")
_CONFINE = Path(__file__).with_name("confine.py")
# Where programs write outside a home folder, because the user said so; a script is to write in its own.
_ELSEWHERE = {
    "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR",
    "TORCH_HOME", "TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR", "TRITON_HOME", "MPLCONFIGDIR", "HF_HOME",
    "NUMBA_CACHE_DIR",
}
_INTERFACES = {"GLOO_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME", "TP_SOCKET_IFNAME"}


@dataclass(frozen=True)
class Place:
    """The folders and files of one run. spool: what the script sees as /var/tmp, where it can be had."""

    work: Path
    home: Path
    hosts: Path
    stdout: Path
    stderr: Path
    spool: Path | None


class Running(Protocol):
    """A program that was started: in an interpreter of its own, or as a fork of a template."""

    pid: int

    def ended(self, seconds: float) -> int | None:
        """Wait at most this long for its end: its exit code (negative: the signal), or None."""

    def end_all(self) -> None:
        """Kill every process of it, and wait until they are gone."""


# Starts a program in the folders of a place, with its output appended to the place's two files.
Start = Callable[[Place], Running]


@dataclass(frozen=True)
class Confinement:
    """What the kernel keeps a script from: `files`, `processes`, `network`; and why it is no more.

    user: in a user namespace, without which the kernel refuses. ruled: by Landlock's rules, where
    namespaces do not. cgroup: the control group in which scripts can have groups of their own.
    """

    user: bool = False
    parts: tuple[str, ...] = ()
    ruled: tuple[str, ...] = ()
    why: str = ""
    cgroup: str | None = None

    @property
    def note(self) -> str | None:
        """What nothing keeps a script from, in words; None where all is confined."""
        words = {"files": "changing your files", "processes": "signalling your processes",
                 "network": "reaching the network"}
        open_to = [text for part, text in words.items() if part not in (*self.parts, *self.ruled)]
        if "files" in self.ruled:  # what Landlock has no rule for
            open_to.insert(0, "changing the mode or the times of your files")
        if not open_to:
            return None
        return f"nothing keeps a script from {' or '.join(open_to)} here: {self.why}; see SECURITY.md"


@lru_cache(maxsize=1)
def confinement() -> Confinement:
    """The strictest confinement that this machine allows. Tried, once."""
    if sys.platform != "linux":
        return Confinement(why="needs Linux")
    code, text = capture([sys.executable, "-I", "-S", str(_CONFINE)], seconds=30)
    try:
        found = json.loads(text) if code == 0 else {}
        return Confinement(found["user"], tuple(found["parts"]), tuple(found["ruled"]), found["why"],
                           found["cgroup"])
    except (ValueError, KeyError):
        return Confinement(why="the trial of namespaces failed")


def run(start: Start, limits: Limits, stop: threading.Event,
        on_output: Callable[[str, bytes], None]) -> Ended:
    """Run a program in fresh folders and a session of its own until it ends or reaches a limit.

    on_output takes ("stdout" or "stderr", bytes) as they are written. Raises Stopped when `stop`
    is set. Nothing of the run is left afterwards: no process, no file.
    """
    with _place() as place:
        streams = [_Stream(path, on_output) for path in (place.stdout, place.stderr)]
        started = time.monotonic()
        try:
            try:
                running = start(place)
            except Refused as refusal:
                return Ended(None, None, f"it could not be started ({refusal})")
            try:
                code, limit = _wait(running, started, limits, stop, streams, place)
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


@contextlib.contextmanager
def _place() -> Iterator[Place]:
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(_folder(None))
        spool = None
        if sys.platform == "linux" and os.access("/var/tmp", os.W_OK):
            spool = stack.enter_context(_folder("/var/tmp"))
        place = Place(folder / "w", folder / "home", folder / "hosts", folder / "stdout", folder / "stderr",
                      spool)
        place.work.mkdir()
        place.home.mkdir()
        place.hosts.write_text(f"127.0.0.1 localhost {socket.gethostname()}\n::1 localhost\n")
        yield place


@contextlib.contextmanager
def _folder(parent: str | None) -> Iterator[Path]:
    """A temporary folder that is removed whatever a script made of it: also a tree too deep for Python."""
    path = Path(tempfile.mkdtemp(prefix="dpkb-", dir=parent))
    try:
        yield path
    finally:
        with contextlib.suppress(RecursionError):
            shutil.rmtree(path, ignore_errors=True)
        if path.exists() and os.name == "posix":
            capture(["chmod", "-R", "u+rwx", str(path)])
            capture(["rm", "-rf", str(path)], seconds=600)


def cold(argv: list[str], env: dict[str, str], needs: Needs, held: Confinement, limits: Limits) -> Start:
    """Starts argv as a program of its own."""
    if sys.platform == "linux":
        return lambda place: _Cold(request(argv, env, needs, held, limits, place))
    if needs.open_files is not None:
        argv = ["sh", "-c", f'ulimit -n {needs.open_files} && exec "$@"', "sh", *argv]
    return lambda place: _Program(argv, _own(env, place), place)


def request(argv: list[str], env: dict[str, str], needs: Needs, held: Confinement, limits: Limits,
            place: Place) -> dict:
    """What a supervisor is asked for: see supervisor.py."""
    mark, memory = secrets.token_hex(8), limits.memory_here
    env = {**_own(env, place), MARK: mark}
    if "network" in held.parts:  # only the loopback is there
        env = {name: value for name, value in env.items() if name not in _INTERFACES}
    shm_bytes = needs.shm_mb << 20 if needs.shm_mb is not None else min(_shm_here(), memory // 2)
    group = {"parent": held.cgroup, "name": f"dpkb-{mark}", "memory": memory}
    return {
        "argv": argv, "env": env, "open_files": needs.open_files, "shm_bytes": shm_bytes,
        "processes": limits.processes, "memory": memory, "group": group if held.cgroup else None,
        "confinement": {"user": held.user, "parts": held.parts, "ruled": held.ruled},
        "place": {name: path and str(path) for name, path in asdict(place).items()},
    }


def unmet(needs: Needs, held: Confinement) -> str | None:
    """Which limit that a script asks for cannot be set up around it here, in words; None where all can."""
    if needs.open_files is not None and os.name != "posix":
        return f"a limit of {needs.open_files} open files cannot be set here"
    if needs.shm_mb is not None and "files" not in held.parts:
        return (f"a private /dev/shm of {needs.shm_mb} MB needs Linux and the right to mount: "
                f"root, or unprivileged user namespaces ({held.why})")
    return None


def _own(env: dict[str, str], place: Place) -> dict[str, str]:
    """The variables with the run's own folders in place of the user's."""
    kept = {name: value for name, value in env.items() if name not in _ELSEWHERE}
    names = ["TMPDIR"] if os.name == "posix" else ["TMPDIR", "TEMP", "TMP"]
    homes = ["HOME"] if os.name == "posix" else ["HOME", "USERPROFILE"]
    return {**kept, **dict.fromkeys(names, str(place.work)), **dict.fromkeys(homes, str(place.home))}


def _shm_here() -> int:
    try:
        status = os.statvfs("/dev/shm")
    except OSError:
        return 64 << 20
    return status.f_blocks * status.f_frsize or 64 << 20


def _wait(running: Running, started: float, limits: Limits, stop: threading.Event,
          streams: list[_Stream], place: Place) -> tuple[int | None, str | None]:
    """Wait for the end: the exit code, or None and the limit that was reached."""
    watch = Watch(limits, [folder for folder in (place.work, place.home, place.spool) if folder])
    while True:
        try:
            code = running.ended(0.05)
        except Reached as reached:
            return None, watch.too_much_memory if str(reached) == "memory" else limits.too_many_processes
        except ConnectionError as lost:
            return None, str(lost)
        for stream in streams:
            stream.read_on(limits.output_bytes)
            if stream.size() > limits.output_bytes:
                return None, f"more than {limits.output_bytes >> 20} MiB written to {stream.name}"
        if code is not None or stop.is_set():
            return code, None
        if time.monotonic() - started > limits.seconds:
            stopped = ", stopped by a signal" if stands_still(running.pid) else ""
            return None, f"still running after {limits.seconds:g} s{stopped}"
        if limit := watch.exceeded(running.pid):
            return None, limit


class _Stream:
    """One output file of a run: written by the script, read here as it grows."""

    def __init__(self, path: Path, on_output: Callable[[str, bytes], None]) -> None:
        self.name = path.name
        path.touch()
        self._reader = path.open("rb")
        self._on_output = on_output
        self._given = 0

    def size(self) -> int:
        """What was written, or a quarter of what it takes on disk: a script can reserve without writing."""
        status = os.fstat(self._reader.fileno())
        return max(status.st_size, getattr(status, "st_blocks", 0) * 512 // 4)

    def read_on(self, most: int) -> None:
        """Hand on what was written since the last call, up to `most` bytes of the whole file."""
        while self._given < most and (chunk := self._reader.read(min(_CHUNK, most - self._given))):
            self._given += len(chunk)
            self._on_output(self.name, chunk)

    def close(self) -> None:
        self._reader.close()


class _Cold(Supervised):
    """A program of its own under a supervisor of its own. Linux."""

    def __init__(self, asked: dict) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(_SUPERVISOR)], stdin=theirs, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, env=asked["env"], start_new_session=True,
            )
        try:
            super().__init__(ours, asked)
        except Refused:
            self._process.wait(timeout=60)
            raise

    def end_all(self) -> None:
        super().end_all()
        self._process.wait(timeout=60)


class _Program:
    """A program started as usual, marked through its environment so that its orphans are found."""

    def __init__(self, argv: list[str], env: dict[str, str], place: Place) -> None:
        self._mark = secrets.token_hex(8)
        with place.stdout.open("ab") as out, place.stderr.open("ab") as err:
            self._process = subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, stdout=out, stderr=err, cwd=place.work,
                env={**env, MARK: self._mark}, start_new_session=True,
            )
        self.pid = self._process.pid

    def ended(self, seconds: float) -> int | None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=seconds)
        return self._process.returncode

    def end_all(self) -> None:
        """Kill the group, the tree, and whatever carries the mark."""
        cleaners = []
        for _ in range(50):
            members = [p for p in psutil.process_iter() if self._owns(p) and p not in cleaners]
            if not members:
                break
            for member in members:
                # It removes what the others leave, then ends by itself.
                if _cleans_up(member):
                    cleaners.append(member)
                else:
                    with contextlib.suppress(psutil.Error):
                        member.kill()
            psutil.wait_procs([m for m in members if m not in cleaners], timeout=0.2)
        _, slow = psutil.wait_procs(cleaners, timeout=PATIENCE)
        for cleaner in slow:
            with contextlib.suppress(psutil.Error):
                cleaner.kill()
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


def _cleans_up(candidate: psutil.Process) -> bool:
    with contextlib.suppress(psutil.Error):
        return is_cleaner("\0".join(candidate.cmdline()).encode("utf-8", "surrogateescape"))
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
