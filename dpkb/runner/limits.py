"""The limits of a running script, and the one watchdog, which measures memory, processes and disk."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil

from dpkb.runner.processes import descendants

# Between two measurements of memory and disk.
_CALM_INTERVAL_SECONDS = 0.5
# Between two counts of the processes; and between two measurements when a limit is near.
_CLOSE_INTERVAL_SECONDS = 0.1
# A limit is near from this share of it on.
_NEAR_LIMIT_SHARE = 0.25


@dataclass(frozen=True)
class Limits:
    """What one script may use before it is stopped. Output is per stream."""

    seconds: float = 120.0
    output_bytes: int = 16 << 20
    memory_bytes: int = 8 << 30
    processes: int = 256
    disk_bytes: int = 4 << 30
    files: int = 100_000

    @property
    def memory_here(self) -> int:
        """The memory limit on this machine: at most three quarters of what is free."""
        return min(self.memory_bytes, max(1 << 30, psutil.virtual_memory().available * 3 // 4))


class LimitGuard:
    """Measures one script's processes and folders while it runs."""

    def __init__(self, limits: Limits, folders: list[Path]) -> None:
        self._limits = limits
        self._memory = limits.memory_here
        self._folders = folders
        free = filter(None, map(free_bytes, folders))
        self._disk = min([limits.disk_bytes, *(space * 3 // 4 for space in free)])
        self._unowned = UnownedMemory()
        self._next = time.monotonic() + _CLOSE_INTERVAL_SECONDS
        self._next_memory = time.monotonic() + _CALM_INTERVAL_SECONDS

    def exceeded(self, pid: int) -> str | None:
        """The limit, in words, that the processes from `pid` down exceed. Measures when it is time to."""
        began = time.monotonic()
        if began < self._next:
            return None
        tree = [pid, *descendants(pid)]
        self._next = began + _CLOSE_INTERVAL_SECONDS
        if len(tree) - 1 > self._limits.processes:  # without the supervisor
            return f"more than {self._limits.processes} processes"
        if began < self._next_memory:
            return None
        memory, (disk, files) = self._memory_of(tree), self._disk_use(tree)
        measured = (
            (memory / self._memory, f"more than {_gib(self._memory)} GiB of memory"),
            (disk / max(1, self._disk), f"more than {_gib(self._disk)} GiB written to its temporary folder"),
            (files / self._limits.files,
             f"more than {self._limits.files} files in its temporary folder, or too deep a tree"),
        )
        near = max(share for share, _ in measured) > _NEAR_LIMIT_SHARE
        # Measuring takes a small share of the time, even where there is much to measure.
        now = time.monotonic()
        interval = _CLOSE_INTERVAL_SECONDS if near else _CALM_INTERVAL_SECONDS
        self._next_memory = now + max(interval, 2 * (now - began))
        return next((text for share, text in measured if share > 1), None)

    def _memory_of(self, tree: list[int]) -> int:
        """The memory of these processes, and what the machine has lost to no process since the start.

        A file in memory that is not mapped, a mapping whose filler has ended, page tables and the buffers of
        sockets belong to no process: they are only missing from the machine's memory.
        """
        unowned = self._unowned.growth()
        for measure in (resident_memory, proportional_memory):
            sizes = list(map(measure, tree))
            memory = sum(own for own, _ in sizes) + max(unowned, sum(shared for _, shared in sizes))
            if memory <= self._memory:  # the first counts what forks share once for each of them
                break
        return memory

    def _disk_use(self, tree: list[int]) -> tuple[int, int]:
        """Bytes on disk (holes of sparse files count nothing) and files in the folders of the run."""
        used = count = 0
        for size in _sizes(self._folders):
            used, count = used + size, count + 1
            if count > self._limits.files:
                return used, count
        # Deleted files that are still open are in no folder. How much the disk has filled up does not tell:
        # another program may free as much at the same time.
        used += sum(dict(item for pid in tree for item in _deleted_files(pid)).values())
        return used, count


def resident_memory(pid: int) -> tuple[int, int]:
    """A process's private memory and what it shares, without the files that it has mapped. Cheap."""
    if sizes := proc_sizes(f"/proc/{pid}/status", "RssAnon:", "RssShmem:"):
        return sizes[0], sizes[1]
    if sys.platform != "linux":
        with contextlib.suppress(psutil.Error):
            return psutil.Process(pid).memory_info().rss, 0
    return 0, 0


def proportional_memory(pid: int) -> tuple[int, int]:
    """A process's private memory and its part of the memory that several processes share. Slow."""
    sizes = proc_sizes(f"/proc/{pid}/smaps_rollup", "Pss_Anon:", "Pss_Shmem:")
    # A process can forbid it, and then counts in full.
    return (sizes[0], sizes[1]) if sizes else resident_memory(pid)


def proc_sizes(path: str, *names: str) -> list[int] | None:
    """These sizes of a file of /proc, in bytes; None if one is missing."""
    try:
        lines = (line.split() for line in Path(path).read_text().splitlines())
        sizes = {words[0]: int(words[1]) << 10 for words in lines if words and words[0] in names}
        return [sizes[name] for name in names]
    except (OSError, ValueError, KeyError):
        return None


class UnownedMemory:
    """How much more of the machine's memory is private to no process than at the start. 0 where unknown.

    Other programs' use counts too, so the least that was measured stands for the start.
    """

    def __init__(self) -> None:
        self._least = self._measure()

    def growth(self) -> int:
        """The bytes that were added."""
        now = self._measure()
        self._least = {name: min(size, self._least.get(name, size)) for name, size in now.items()}
        grown = {name: size - self._least[name] for name, size in now.items()}
        return max(grown.pop("all", 0), sum(grown.values()))

    @staticmethod
    def _measure() -> dict[str, int]:
        names = ("MemTotal:", "MemAvailable:", "AnonPages:", "Shmem:", "SUnreclaim:", "PageTables:")
        if not (sizes := proc_sizes("/proc/meminfo", *names)):
            return {}
        total, available, anonymous, *each = sizes
        return {"all": total - available - anonymous, **dict(zip(names[3:], each, strict=True))}


def _sizes(folders: list[Path]) -> Iterator[int]:
    """The bytes on disk of everything below the folders."""
    unvisited = [str(folder) for folder in folders]
    while unvisited:
        try:
            with os.scandir(unvisited.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        unvisited.append(entry.path)
                    status = entry.stat(follow_symlinks=False)
                    yield status.st_blocks * 512 if hasattr(status, "st_blocks") else status.st_size
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:  # too deep to be measured
                while True:
                    yield 0


def _deleted_files(pid: int) -> Iterator[tuple[tuple[int, int], int]]:
    """The deleted files on disk that a process has open: their device and number, and bytes."""
    with contextlib.suppress(OSError):
        for entry in os.scandir(f"/proc/{pid}/fd"):
            with contextlib.suppress(OSError):
                status = entry.stat()
                if not status.st_nlink and not os.readlink(entry.path).startswith(("/dev/", "/memfd:")):
                    yield (status.st_dev, status.st_ino), status.st_blocks * 512


def free_bytes(folder: Path) -> int:
    """The free space on the disk of a folder; 0 where unknown."""
    with contextlib.suppress(OSError, AttributeError):
        status = os.statvfs(folder)
        return status.f_bavail * status.f_frsize
    return 0


def _gib(size: int) -> str:
    return f"{size / 2**30:.3g}"
