"""The journal of one process: a file of JSON lines. Each is written at once: a process may be killed."""

from __future__ import annotations

import math
import sys
from json import dumps

from dpkb_audit.system import os, time

try:
    from resource import RLIM_INFINITY, RLIMIT_FSIZE, getrlimit
except ImportError:  # Windows
    getrlimit = None  # type: ignore[assignment]

MYPY = False
if MYPY:
    from collections.abc import Callable
    from typing import Any

# When a journal has this many bytes, only the kinds below are still written.
_MAX_BYTES = 4 << 20
_ALWAYS_WRITTEN = ("finding", "failure", "left_out", "counts", "end")
# While nothing can be written, at most this many bytes wait.
_MAX_WAITING = 1 << 20


def _read_size_limit() -> float:
    """The size that a file of this process may have. Writing more would send it a signal, which can end it."""
    if getrlimit is None:
        return math.inf
    limit = getrlimit(RLIMIT_FSIZE)[0]
    return math.inf if limit == RLIM_INFINITY else limit


class Journal:
    """The journal of this process. A forked child begins a new one.

    No file stays open: the program may close every descriptor that it finds, and open files of its own under
    the same numbers.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._begin()

    def _begin(self) -> None:
        self._pid, self._bytes, self._is_full = os.getpid(), 0, False
        # The name and the length of each file of this process, by its kind; and what could not be written yet.
        self._paths: dict[str, str] = {}
        self._lengths: dict[str, int] = {}
        self._waiting: dict[str, bytes] = {}
        # Called when this process, but not a child of it, has written a finding.
        self.on_finding: Callable[[], object] | None = None

    def write(self, kind: str, **fields: Any) -> None:
        """Append a line. After 4 MB, one line says that facts are left out."""
        if self._pid != os.getpid():
            self._begin()
        if self._bytes >= _MAX_BYTES and kind not in _ALWAYS_WRITTEN:
            if self._is_full:
                return
            self._is_full = True
            kind, fields = "left_out", {"area": "facts after the first 4 MB of a process"}
        line = dumps(dict(fields, kind=kind), default=str) + "\n"
        if not self._bytes:
            line = dumps(self._first_line()) + "\n" + line
        data = line.encode("utf-8", "backslashreplace")
        self._bytes += len(data)
        self._append("jsonl", data)
        if kind == "finding" and self.on_finding is not None:
            self.on_finding()

    def trace(self, name: str, data: bytes, path: str | None = None) -> None:
        """Append bytes to a trace, a second file for events that are too frequent for lines.

        path: where the user wants it.
        """
        if self._pid != os.getpid():
            self._begin()
        self._append(name + ".trace", data, path)

    def _append(self, kind: str, data: bytes, path: str | None = None) -> None:
        """Append to a file. What cannot be written now, without a descriptor or space, is written next time."""
        waiting = self._waiting.pop(kind, b"") + data
        if kind not in self._paths:
            self._paths[kind] = path or os.path.join(self.folder, f"{self._pid}-{time.time_ns()}.{kind}")
            self._lengths[kind] = 0
        try:
            if self._lengths[kind] + len(waiting) <= _read_size_limit():
                file = os.open(self._paths[kind], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
                try:
                    written = os.write(file, waiting)
                finally:
                    os.close(file)
                self._lengths[kind] += written
                waiting = waiting[written:]
        except OSError:
            pass
        if waiting:
            self._waiting[kind] = waiting[:_MAX_WAITING]

    def _first_line(self) -> dict[str, Any]:
        torch = sys.modules.get("torch")
        return {
            "kind": "process",
            "pid": self._pid,
            "parent": os.getppid(),
            "python": sys.version.split()[0],
            "torch": str(getattr(torch, "__version__", "")),
            "rank": os.environ.get("RANK"),
            "world_size": os.environ.get("WORLD_SIZE"),
            "at": time.time(),
        }
