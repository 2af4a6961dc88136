"""dpkb's side of the protocol with the supervisor of a script (guest/supervisor.py). Linux only."""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import subprocess
import sys
import threading
import time
from dataclasses import asdict

import psutil

from dpkb.errors import Stopped
from dpkb.paths import GUEST
from dpkb.runner import processes
from dpkb.runner.confinement import Confinement
from dpkb.runner.scratch import RunFolders

# A supervisor that takes longer than this to start or to end a script was stopped by the script.
START_SECONDS, END_SECONDS = 60.0, 15.0
Request = dict[str, object]


class StartRefused(OSError):
    """A script could not be started. The message gives the reason."""


def build_request(
    argv: list[str],
    env: dict[str, str],
    folders: RunFolders,
    confinement: Confinement,
    open_files: int | None = None,
    shm_bytes: int = 0,
) -> Request:
    """The first message to a supervisor, as guest/supervisor.py describes it."""
    return {
        "argv": argv,
        "env": env,
        "open_files": open_files,
        "shm_bytes": shm_bytes,
        "confinement": {"active": confinement.active, "user": confinement.user},
        "folders": {name: path and str(path) for name, path in asdict(folders).items()},
    }


class SupervisedProcess:
    """A script or program whose supervisor is connected by a socket."""

    def __init__(
        self,
        connection: socket.socket,
        request: Request,
        stop: threading.Event,
        own: subprocess.Popen[bytes] | None = None,
    ) -> None:
        """Start the script. Raises StartRefused, and Stopped if `stop` is set before it starts.

        own: the supervisor, if dpkb has started it, and not the fork server.
        """
        self._connection, self._own = connection, own
        self._received = b""
        self._code: int | None = None
        try:
            connection.sendall(json.dumps(request).encode() + b"\n")
            word, rest = self._wait_for_answer(stop)
            if word != "started":
                raise StartRefused(rest)
        except BaseException as error:
            connection.close()
            if isinstance(error, OSError) and not isinstance(error, StartRefused):
                raise StartRefused(f"its supervisor ended early: {error.strerror or error}") from None
            raise
        # All processes of the script, orphans included, are below the supervisor.
        self.pid = int(rest)
        self._supervisor = psutil.Process(self.pid) if psutil.pid_exists(self.pid) else None

    def wait_for_end(self, seconds: float) -> int | None:
        """Wait at most this long: the exit code (negative: the signal), or None if the script still runs.

        Raises ConnectionError if its supervisor was killed.
        """
        if self._code is None and (answer := self._read_line(seconds)):
            self._code = os.waitstatus_to_exitcode(int(answer[1]))
        return self._code

    def end_all(self) -> None:
        """Kill every process of the script, and wait until they are gone."""
        try:
            self._connection.sendall(b"end\n")
            while (answer := self._read_line(END_SECONDS)) and answer[0] != "gone":
                continue
        except OSError:
            answer = None
        finally:
            self._connection.close()
        if answer is None:
            # The supervisor was stopped or killed. The process that started it adopts its orphans.
            with contextlib.suppress(psutil.Error):
                if self._supervisor:
                    self._supervisor.kill()
        if self._own and self._own.wait() != 0:
            processes.end_orphans()

    def _wait_for_answer(self, stop: threading.Event) -> tuple[str, str]:
        deadline = time.monotonic() + START_SECONDS
        while (answer := self._read_line(0.1)) is None:
            if stop.is_set():
                raise Stopped
            if time.monotonic() > deadline:
                raise StartRefused("its supervisor does not answer")
        return answer

    def _read_line(self, seconds: float) -> tuple[str, str] | None:
        """The first word and the rest of the next line; None if no line comes in time.

        Raises ConnectionError if the supervisor has ended.
        """
        while b"\n" not in self._received:
            if not select.select([self._connection], [], [], seconds)[0]:
                return None
            more = self._connection.recv(4096)
            if not more:
                raise ConnectionError("the supervisor of the script was ended")
            self._received += more
        line, _, self._received = self._received.partition(b"\n")
        word, _, rest = line.decode("utf-8", "replace").partition(" ")
        return word, rest


def start_program(request: Request, env: dict[str, str], stop: threading.Event) -> SupervisedProcess:
    """Start a program with a supervisor process that serves only this program."""
    try:
        processes.adopt_orphans()
    except OSError as error:
        raise StartRefused(error.strerror) from None
    ours, theirs = socket.socketpair()
    with theirs:
        supervisor = processes.start_in_new_session(
            [sys.executable, "-I", "-S", str(GUEST / "supervisor.py")],
            stdin=theirs,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=env,
        )
    try:
        return SupervisedProcess(ours, request, stop, supervisor)
    except BaseException:
        processes.end_tree(supervisor, processes.find_orphans)
        raise


def start_fork(address: str, request: Request, stop: threading.Event) -> SupervisedProcess:
    """Start a script as a fork of the fork server at this address."""
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(address)
    except OSError as error:
        connection.close()
        raise StartRefused(f"the process that forks for each script is gone: {error.strerror}") from None
    return SupervisedProcess(connection, request, stop)
