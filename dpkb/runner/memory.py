"""How much memory a process uses, without mapped files. From /proc on Linux."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

import psutil


def measure_resident_memory(pid: int) -> int:
    """The bytes of a process; 0 if it has ended. Cheap; what several processes share counts in full for each."""
    size = _add_sizes(f"/proc/{pid}/status", "RssAnon:", "RssShmem:")
    if size is None and sys.platform != "linux":
        with contextlib.suppress(psutil.Error):
            return psutil.Process(pid).memory_info().rss
    return size or 0


def measure_proportional_memory(pid: int) -> int:
    """The bytes of a process, with its proportion of those that several processes share. Slow."""
    size = _add_sizes(f"/proc/{pid}/smaps_rollup", "Pss_Anon:", "Pss_Shmem:")
    # A process can forbid reading this file; then its memory counts in full.
    return measure_resident_memory(pid) if size is None else size


def _add_sizes(path: str, *names: str) -> int | None:
    """The sum of the sizes with these names in a file of /proc, in bytes; None if one is missing."""
    try:
        lines = (line.split() for line in Path(path).read_text().splitlines())
        sizes = {words[0]: int(words[1]) << 10 for words in lines if words and words[0] in names}
        return sum(sizes[name] for name in names)
    except (OSError, ValueError, KeyError):
        return None
