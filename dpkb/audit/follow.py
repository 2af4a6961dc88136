"""The findings of an audit while its program still runs."""

from __future__ import annotations

import errno
import json
import os
import socket
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path

from dpkb.audit.collect import find_reported, read_lines
from dpkb.audit.result import AuditFinding
from dpkb.files import require_writable
from dpkb.model import Certainty

# Seconds between two looks at the journals: at least this many, and so often the time that a look takes, since
# the workers of each epoch leave a journal.
_INTERVAL, _TIMES_A_LOOK = 1.0, 50


class FindingsFollower:
    """Tells of each finding once, as soon as a process has written it."""

    def __init__(
        self,
        folder: Path,
        tell: Callable[[AuditFinding], None],
        ignore: Collection[str] = (),
        hints: bool = False,
        wait: float = 0,
    ) -> None:
        """wait: seconds until the first look."""
        self._folder, self._tell, self._ignore, self._hints = folder, tell, ignore, hints
        # Journal -> how many of its bytes have been read.
        self._offsets: dict[Path, int] = {}
        self._told: set[tuple[object, ...]] = set()
        self._next_look = time.monotonic() + wait

    def look(self) -> None:
        """Read what was written since the last look, unless that was just now."""
        start = time.monotonic()
        if start >= self._next_look:
            self.read_new()
            end = time.monotonic()
            self._next_look = end + max(_INTERVAL, _TIMES_A_LOOK * (end - start))

    def read_new(self) -> None:
        """Read what was written since the last look."""
        lines = []
        for path in sorted(self._folder.glob("*.jsonl")):
            with path.open("rb") as journal:
                journal.seek(self._offsets.get(path, 0))
                # The last line may still be written.
                whole = journal.read().rpartition(b"\n")[0]
            if whole:
                self._offsets[path] = self._offsets.get(path, 0) + len(whole) + 1
                lines += read_lines(whole.decode("utf-8", "replace"))
        self.tell_of(find_reported(lines, self._ignore))

    def tell_of(self, findings: Collection[AuditFinding]) -> None:
        """Tell of the findings that have not been told yet."""
        for finding in findings:
            if finding.key not in self._told and (self._hints or finding.certainty is not Certainty.HINT):
                self._told.add(finding.key)
                self._tell(finding)


class FindingsFile:
    """A file that gets a line of JSON for each finding.

    It is opened for each line, so that it may be moved meanwhile. What cannot be written waits for the next line, or
    the end, and no part of a line is left.
    """

    def __init__(self, path: Path, by_rank: bool = False) -> None:
        """by_rank: the findings of rank 1 go to PATH.rank1, since several nodes cannot append to one file.

        Raises OSError if no file can be written there.
        """
        require_writable(path)
        # The program may change its folder.
        self._path, self._by_rank = path.absolute(), by_rank
        # File -> the lines that wait for it.
        self._waiting: dict[str, bytes] = {}
        self._written: set[tuple[object, ...]] = set()

    def write(self, finding: AuditFinding) -> None:
        """Append a finding, with the name of this machine, unless it is there already."""
        if finding.key in self._written:
            return
        self._written.add(finding.key)
        fields = {
            "id": finding.id,
            "certainty": finding.certainty.value,
            "message": finding.message,
            "where": finding.where_fields(),
            "evidence": finding.evidence,
            "fix": finding.fix,
            "help": f"dpkb show {finding.id}",
            "node": socket.gethostname(),
            "time": round(time.time(), 3),
        }
        name = f"{self._path}.rank{finding.rank}" if self._by_rank and finding.rank else str(self._path)
        self._waiting[name] = self._waiting.get(name, b"") + json.dumps(fields).encode() + b"\n"
        with suppress(OSError):
            self.flush()

    def flush(self) -> None:
        """Write what waits. Raises OSError."""
        for name, lines in list(self._waiting.items()):
            with open(name, "ab", buffering=0) as file:
                size = os.fstat(file.fileno()).st_size
                if file.write(lines) < len(lines):  # the disk has become full
                    file.truncate(size)
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), file.name)
            del self._waiting[name]
