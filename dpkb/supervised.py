"""A script that a supervisor watches over: this side of what supervisor.py says."""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
from pathlib import Path

import psutil

# Marks every process of one run through its environment, so that also an orphan that left the
# session is found when the run ends.
MARK = "DPKB_RUN"
# How long a supervisor may take to say that nothing is left, before it is taken for stopped or stuck.
_PATIENCE = 15.0  # more than it gives to cleaners


class Refused(OSError):
    """A script could not be started as it was to be; the text says why."""


class Reached(Exception):
    """The script was ended, as it had more of this than it may: `processes` or `memory`."""


class Supervised:
    """A running script at the other end of a supervisor's socket."""

    def __init__(self, connection: socket.socket, request: dict) -> None:
        self._connection = connection
        self._heard = b""
        self._code: int | None = None
        self._mark = request["env"][MARK]
        self._group = request["group"] and Path(request["group"]["parent"], request["group"]["name"])
        try:
            connection.sendall(json.dumps(request).encode() + b"\n")
            word, rest = self._line(None) or ("", "")
        except OSError as error:
            connection.close()
            raise Refused(f"its supervisor ended early: {error.strerror or error}") from None
        if word != "started":
            connection.close()
            raise Refused(rest)
        supervisor, script = rest.split()
        # The supervisor's number: all of the script's processes descend from it, orphans too.
        self.pid = int(supervisor)
        self._script = int(script)

    def ended(self, seconds: float) -> int | None:
        """Wait at most this long for its end: its exit code (negative: the signal), or None.

        Raises Reached, and ConnectionError where its supervisor was ended.
        """
        if self._code is None and (heard := self._line(seconds)):
            if heard[0] == "reached":
                raise Reached(heard[1])
            self._code = os.waitstatus_to_exitcode(int(heard[1]))
        return self._code

    def end_all(self) -> None:
        """Kill every process of it, and wait until they are gone."""
        try:
            self._connection.sendall(b"end\n")
            while heard := self._line(_PATIENCE):
                if heard[0] == "gone":
                    return
        except OSError:
            pass
        finally:
            self._connection.close()
        self._kill()

    def _kill(self) -> None:
        """Do what the supervisor should: a script that shares its processes' numbers may have stopped it."""
        if self._group:
            with contextlib.suppress(OSError):
                (self._group / "cgroup.kill").write_text("1")
        for _ in range(50):
            members = [p for p in psutil.process_iter() if p.pid == self.pid or self._is_of_script(p)]
            with contextlib.suppress(psutil.Error):
                members += psutil.Process(self.pid).children(recursive=True)
            alive = [p for p in members if _lives(p)]
            if not alive:
                break
            for member in alive:
                with contextlib.suppress(psutil.Error):
                    member.kill()
            psutil.wait_procs(alive, timeout=0.2)
        if self._group:
            with contextlib.suppress(OSError):
                self._group.rmdir()

    def _is_of_script(self, candidate: psutil.Process) -> bool:
        with contextlib.suppress(OSError, psutil.Error):
            return os.getsid(candidate.pid) == self._script or candidate.environ().get(MARK) == self._mark
        return False

    def _line(self, seconds: float | None) -> tuple[str, str] | None:
        """The next line: its first word and the rest; None where none came in time.

        Raises ConnectionError when the supervisor is gone.
        """
        while b"\n" not in self._heard:
            if not select.select([self._connection], [], [], seconds)[0]:
                return None
            more = self._connection.recv(4096)
            if not more:
                raise ConnectionError("the supervisor of the script was ended")
            self._heard += more
        line, _, self._heard = self._heard.partition(b"\n")
        word, _, rest = line.decode("utf-8", "replace").partition(" ")
        return word, rest


def _lives(candidate: psutil.Process) -> bool:
    with contextlib.suppress(psutil.Error):
        return candidate.status() != psutil.STATUS_ZOMBIE
    return False
