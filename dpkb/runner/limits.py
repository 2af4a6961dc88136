"""The limits of a running script, and the guard that measures its memory, processes and disk."""

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

from dpkb.files import measure_disk
from dpkb.run_records import ExceededLimit, Limit
from dpkb.runner.processes import find_descendants

_INTERVAL_SECONDS = 0.2


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
        free = [space for folder in folders if (space := measure_disk(folder)[1])]
        self._disk = min([limits.disk_bytes, *(space * 3 // 4 for space in free)])
        self._next = time.monotonic() + _INTERVAL_SECONDS

    def find_exceeded_limit(self, pid: int) -> ExceededLimit | None:
        """The limit that `pid` and the processes below it exceed; None without one.

        Measures only when enough time has passed; otherwise returns None at once.
        """
        began = time.monotonic()
        if began < self._next:
            return None
        tree = [pid, *find_descendants(pid)]
        memory, (disk, files) = self._memory_of(tree), self._measure_disk_use(tree)
        # The pause is twice as long as the measurement, so that measuring many files slows nothing down.
        now = time.monotonic()
        self._next = now + max(_INTERVAL_SECONDS, 2 * (now - began))
        if len(tree) - 1 > self._limits.processes:  # without the supervisor
            return ExceededLimit(Limit.PROCESSES, f"more than {self._limits.processes} processes")
        if memory > self._memory:
            return ExceededLimit(Limit.MEMORY, f"more than {_format_gib(self._memory)} GiB of memory")
        if disk > self._disk:
            words = f"more than {_format_gib(self._disk)} GiB written to its temporary folder"
            return ExceededLimit(Limit.DISK, words)
        if files > self._limits.files:
            words = f"more than {self._limits.files} files in its temporary folder, or too deep a tree"
            return ExceededLimit(Limit.FILES, words)
        return None

    def _memory_of(self, tree: list[int]) -> int:
        """The bytes that these processes use."""
        # The first measure counts shared memory once for each process: a sum below the limit is enough.
        memory = sum(map(measure_resident_memory, tree))
        return memory if memory <= self._memory else sum(map(measure_proportional_memory, tree))

    def _measure_disk_use(self, tree: list[int]) -> tuple[int, int]:
        """The bytes on disk and the number of files in the run's folders, without holes in files."""
        used = count = 0
        for size in _measure_sizes(self._folders):
            used, count = used + size, count + 1
            if count > self._limits.files:
                return used, count
        # Deleted files that are still open are in no folder. The free space of the disk cannot replace this
        # sum: another program may free as much at the same time.
        used += sum(dict(item for pid in tree for item in _find_deleted_files(pid)).values())
        return used, count


def _measure_sizes(folders: list[Path]) -> Iterator[int]:
    """The bytes on disk of everything below the folders."""
    unvisited = [str(folder) for folder in folders]
    while unvisited:
        try:
            with os.scandir(unvisited.pop()) as entries:
                for entry in entries:
                    with contextlib.suppress(FileNotFoundError):  # deleted since the folder was read
                        if entry.is_dir(follow_symlinks=False):
                            unvisited.append(entry.path)
                        status = entry.stat(follow_symlinks=False)
                        yield status.st_blocks * 512 if hasattr(status, "st_blocks") else status.st_size
        except OSError as error:
            # A folder that is too deep or closed cannot be measured: it exceeds every limit of files.
            if error.errno in (errno.ENAMETOOLONG, errno.EACCES):
                while True:
                    yield 0


def _find_deleted_files(pid: int) -> Iterator[tuple[tuple[int, int], int]]:
    """The deleted files on disk that a process has open: (device, inode) and bytes of each."""
    with contextlib.suppress(OSError), os.scandir(f"/proc/{pid}/fd") as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                status = entry.stat()
                if not status.st_nlink and not os.readlink(entry.path).startswith(("/dev/", "/memfd:")):
                    yield (status.st_dev, status.st_ino), status.st_blocks * 512


def _format_gib(size: int) -> str:
    return f"{size / 2**30:.3g}"


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
