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
from dataclasses import asdict
from typing import TYPE_CHECKING

from dpkb.paths import GUEST
from dpkb.runner.processes import find_descendants
from dpkb.runner.scratch import RunFolders

if TYPE_CHECKING:
    from dpkb.runner.confinement import Confinement

# A supervisor that takes longer than this to end a script was stopped by the script.
END_SECONDS = 15.0


class StartRefused(OSError):
    """A script could not be started. The message gives the reason."""


class SupervisedProcess:
    """A script or program whose supervisor is at the other end of a socket.

    pid: of the supervisor; all processes of the script, orphans included, are below it. 0 until it has started.
    """

    def __init__(self, connection: socket.socket, own: subprocess.Popen[bytes] | None = None) -> None:
        """own: the supervisor, if dpkb has started it, and not the fork server."""
        self._connection, self._own = connection, own
        self._code: int | None = None
        self.pid = 0

    def wait_for_end(self, seconds: float) -> int | None:
        """Wait at most this long: the exit code (negative: the signal), or None if the script still runs.

        Raises StartRefused, and ConnectionError if its supervisor was killed.
        """
        if self._code is not None or (answer := self._receive(seconds)) is None:
            return self._code
        word, rest = answer
        if word == "refused":
            raise StartRefused(rest)
        if word == "ended":
            self._code = os.waitstatus_to_exitcode(int(rest))
        elif word != "started":
            raise ConnectionError("the supervisor of the script was ended")
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

    def _receive(self, seconds: float) -> tuple[str, str] | None:
        """The first word and the rest of the next message; None if none comes in time.

        Both are empty if the supervisor has ended.
        """
        if not select.select([self._connection], [], [], seconds)[0]:
            return None
        word, _, rest = self._connection.recv(4096).decode("utf-8", "replace").partition(" ")
        if word == "started":
            self.pid = int(rest)
        return word, rest


def start_program(
    argv: list[str],
    env: dict[str, str],
    folders: RunFolders,
    confinement: Confinement,
    open_files: int | None = None,
    shm_bytes: int = 1 << 20,
    fork_server: socket.socket | None = None,
) -> SupervisedProcess:
    """Start a program with a supervisor of its own, or a script as a fork of the fork server.

    Raises StartRefused if the fork server is gone.
    """
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
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs, folders.stdout.open("ab") as out, folders.stderr.open("ab") as err:
        streams = [stream.fileno() for stream in (theirs, out, err)]
        if fork_server is None:
            supervisor = subprocess.Popen(
                [sys.executable, "-I", "-S", str(GUEST / "supervisor.py"), str(request)],
                stdin=streams[0],
                stdout=streams[1],
                stderr=streams[2],
                env=env,
                start_new_session=True,
            )
            return SupervisedProcess(ours, supervisor)
        try:
            socket.send_fds(fork_server, [os.fsencode(request)], streams)
        except OSError as error:
            ours.close()
            raise StartRefused(f"the process that forks for each script is gone: {error.strerror}") from None
        return SupervisedProcess(ours)
