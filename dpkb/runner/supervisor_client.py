"""dpkb's side of the protocol with the supervisor of a script (guest/supervisor.py). Linux only."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import asdict
from typing import TYPE_CHECKING

from dpkb.errors import Stopped
from dpkb.paths import GUEST
from dpkb.runner.processes import find_descendants
from dpkb.runner.scratch import RunFolders

if TYPE_CHECKING:
    from dpkb.runner.confinement import Confinement

# A supervisor that takes longer than this to start or to end a script was stopped by the script.
START_SECONDS, END_SECONDS = 60.0, 15.0


class StartRefused(OSError):
    """A script could not be started. The message gives the reason."""


class SupervisedProcess:
    """A script or program whose supervisor is at the other end of a socket."""

    def __init__(
        self,
        connection: socket.socket,
        stop: threading.Event,
        own: subprocess.Popen[bytes] | None = None,
    ) -> None:
        """Wait until the script has started. Raises StartRefused, and Stopped if `stop` is set before.

        own: the supervisor, if dpkb has started it, and not the fork server.
        """
        self._connection, self._own = connection, own
        self._code: int | None = None
        # All processes of the script, orphans included, are below the supervisor.
        self.pid = own.pid if own else 0
        try:
            word, rest = self._wait_for_start(stop)
            if word != "started":
                raise StartRefused(rest or "its supervisor ended early")
        except BaseException:
            self.end_all()
            raise
        self.pid = int(rest)

    def wait_for_end(self, seconds: float) -> int | None:
        """Wait at most this long: the exit code (negative: the signal), or None if the script still runs.

        Raises ConnectionError if its supervisor was killed.
        """
        if self._code is None and (answer := self._receive(seconds)):
            if answer[0] != "ended":
                raise ConnectionError("the supervisor of the script was ended")
            self._code = os.waitstatus_to_exitcode(int(answer[1]))
        return self._code

    def end_all(self) -> None:
        """Kill every process of the script, and wait until they are gone."""
        with self._connection:
            with contextlib.suppress(OSError):
                self._connection.shutdown(socket.SHUT_WR)
            while (answer := self._receive(END_SECONDS)) and answer[0]:
                continue
        if answer is None and self.pid:  # the script has stopped its supervisor
            for pid in (*find_descendants(self.pid), self.pid):
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
        if self._own:
            self._own.wait()

    def _wait_for_start(self, stop: threading.Event) -> tuple[str, str]:
        deadline = time.monotonic() + START_SECONDS
        while (answer := self._receive(0.1)) is None:
            if stop.is_set():
                raise Stopped
            if time.monotonic() > deadline:
                raise StartRefused("its supervisor does not answer")
        return answer

    def _receive(self, seconds: float) -> tuple[str, str] | None:
        """The first word and the rest of the next message; None if none comes in time.

        Both are empty if the supervisor has ended.
        """
        if not select.select([self._connection], [], [], seconds)[0]:
            return None
        word, _, rest = self._connection.recv(4096).decode("utf-8", "replace").partition(" ")
        return word, rest


def start_program(
    argv: list[str],
    env: dict[str, str],
    folders: RunFolders,
    confinement: Confinement,
    stop: threading.Event,
    open_files: int | None = None,
    shm_bytes: int = 1 << 20,
    fork_server: socket.socket | None = None,
) -> SupervisedProcess:
    """Start a program with a supervisor of its own, or a script as a fork of the fork server."""
    request = folders.stdout.with_name("request")
    request.write_text(
        json.dumps(
            {
                "argv": argv,
                "env": env,
                "open_files": open_files,
                "shm_bytes": shm_bytes,
                "confinement": {"active": confinement.active, "user": confinement.user},
                "folders": {name: path and str(path) for name, path in asdict(folders).items()},
            }
        )
    )
    supervisor = None
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        if fork_server:
            try:
                socket.send_fds(fork_server, [os.fsencode(request)], [theirs.fileno()])
            except OSError as error:
                ours.close()
                raise StartRefused(
                    f"the process that forks for each script is gone: {error.strerror}"
                ) from None
        else:
            supervisor = subprocess.Popen(
                [sys.executable, "-I", "-S", str(GUEST / "supervisor.py"), str(request)],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=env,
                start_new_session=True,
            )
    return SupervisedProcess(ours, stop, supervisor)
