"""How much memory processes use, and how much memory in use belongs to no process. From /proc on Linux."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

import psutil


def measure_resident_memory(pid: int) -> tuple[int, int]:
    """A process's private and shared bytes, without mapped files. Cheap; 0 and 0 for a process that ended.

    Memory that several processes share counts in full for each of them.
    """
    if sizes := read_sizes(f"/proc/{pid}/status", "RssAnon:", "RssShmem:"):
        return sizes[0], sizes[1]
    if sys.platform != "linux":
        with contextlib.suppress(psutil.Error):
            return psutil.Process(pid).memory_info().rss, 0
    return 0, 0


def measure_proportional_memory(pid: int) -> tuple[int, int]:
    """A process's private bytes, and its proportion of the bytes that several processes share. Slow."""
    sizes = read_sizes(f"/proc/{pid}/smaps_rollup", "Pss_Anon:", "Pss_Shmem:")
    # A process can forbid reading this file; then its memory counts in full.
    return (sizes[0], sizes[1]) if sizes else measure_resident_memory(pid)


class UnownedMemory:
    """How many bytes of the machine's memory belong to no process, compared with the start; 0 if unknown.

    Such memory is a file in memory that is not mapped, a mapping whose creator has ended, page tables, or
    the buffers of sockets. Other programs change it too, so the least that was measured counts as the start.
    """

    def __init__(self) -> None:
        self._least = self._measure()

    def measure_growth(self) -> int:
        """The bytes that were added since the least that was measured."""
        now = self._measure()
        self._least = {name: min(size, self._least.get(name, size)) for name, size in now.items()}
        grown = {name: size - self._least[name] for name, size in now.items()}
        return max(grown.pop("all", 0), sum(grown.values()))

    @staticmethod
    def _measure() -> dict[str, int]:
        names = ("MemTotal:", "MemAvailable:", "AnonPages:", "Shmem:", "SUnreclaim:", "PageTables:")
        if not (sizes := read_sizes("/proc/meminfo", *names)):
            return {}
        total, available, anonymous, *each = sizes
        return {"all": total - available - anonymous, **dict(zip(names[3:], each, strict=True))}


def read_sizes(path: str, *names: str) -> list[int] | None:
    """The sizes with these names in a file of /proc, in bytes; None if one is missing."""
    try:
        lines = (line.split() for line in Path(path).read_text().splitlines())
        sizes = {words[0]: int(words[1]) << 10 for words in lines if words and words[0] in names}
        return [sizes[name] for name in names]
    except (OSError, ValueError, KeyError):
        return None
