"""The journal of one process: a file of JSON lines. Each is written at once: a process may be killed."""

from __future__ import annotations

import json
import os
import sys
import time
import weakref

MYPY = False
if MYPY:
    from typing import Any

# When a journal has this many bytes, only the kinds below are still written.
_MAX_BYTES = 4 << 20
_ALWAYS_WRITTEN = ("finding", "failure", "left_out", "counts", "end")
# A function that is registered for a fork cannot be removed, so a single one is registered for all journals.
_journals: weakref.WeakSet[Journal] = weakref.WeakSet()


class Journal:
    """The journal of this process. A forked child begins a new one."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._file: int | None = None
        self._bytes = 0
        self._is_full = self._has_failed = False
        self._traces: dict[str, int] = {}
        _journals.add(self)

    def close(self) -> None:
        """Close the files. The next line begins a new journal."""
        if self._file is not None:
            os.close(self._file)
        self._file, self._bytes, self._is_full, self._has_failed = None, 0, False, False
        for file in self._traces.values():
            os.close(file)
        self._traces = {}

    def write(self, kind: str, **fields: Any) -> None:
        """Append a line. After 4 MB, one line says that facts are left out. A full disk ends the journal."""
        if self._has_failed:
            return
        if self._bytes >= _MAX_BYTES and kind not in _ALWAYS_WRITTEN:
            if self._is_full:
                return
            self._is_full = True
            kind, fields = "left_out", {"area": "facts after the first 4 MB of a process"}
        try:
            line = json.dumps(dict(fields, kind=kind), default=str) + "\n"
            if self._file is None:
                self._file = self._open()
            data = line.encode("utf-8", "backslashreplace")
            self._bytes += len(data)
            os.write(self._file, data)
        except OSError:
            self._has_failed = True

    def trace(self, name: str, data: bytes) -> None:
        """Append bytes to a trace, a second file for events that are too frequent for lines."""
        if self._has_failed:
            return
        try:
            file = self._traces.get(name)
            if file is None:
                path = os.path.join(self.folder, f"{os.getpid()}-{time.time_ns()}.{name}.trace")
                file = self._traces[name] = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            os.write(file, data)
        except OSError:
            self._has_failed = True

    def _open(self) -> int:
        name = f"{os.getpid()}-{time.time_ns()}.jsonl"
        file = os.open(os.path.join(self.folder, name), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        torch = sys.modules.get("torch")
        first = {
            "kind": "process",
            "pid": os.getpid(),
            "parent": os.getppid(),
            "argv": sys.argv[:20],
            "python": sys.version.split()[0],
            "torch": str(getattr(torch, "__version__", "")),
            "rank": os.environ.get("RANK"),
            "world_size": os.environ.get("WORLD_SIZE"),
            "at": time.time(),
        }
        os.write(file, (json.dumps(first) + "\n").encode())
        return file


def _close_in_child() -> None:
    # The parent uses the same files. Close them, because a script may count its open descriptors.
    for journal in _journals:
        journal.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_close_in_child)
