"""What a running script uses: memory, processes, disk. Measured from outside, at most twice a second."""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil

_CALM, _CLOSE = 0.5, 0.1
# Where a quarter of a limit is reached, the next look comes sooner.
_NEAR = 0.25


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
    def too_many_processes(self) -> str:
        """The limit of processes, in words."""
        return f"more than {self.processes} processes"

    @property
    def memory_here(self) -> int:
        """The memory limit on this machine: at most three quarters of what is left, so that it lives on."""
        return min(self.memory_bytes, max(1 << 30, psutil.virtual_memory().available * 3 // 4))


class Watch:
    """Looks at one script, its processes and its folders, while it runs."""

    def __init__(self, limits: Limits, folders: list[Path]) -> None:
        self._limits = limits
        self._memory = limits.memory_here
        self._folders = folders
        self._free = [_free(folder) for folder in folders]
        # As with memory: a disk that is nearly full is not filled.
        self._disk = min([limits.disk_bytes, *(free * 3 // 4 for free in self._free if free)])
        self._shared = _shared_here()
        self._next = time.monotonic() + _CALM

    @property
    def too_much_memory(self) -> str:
        """The limit of memory, in words."""
        return f"more than {_gib(self._memory)} GiB of memory"

    def exceeded(self, pid: int) -> str | None:
        """The limit that the processes from `pid` down have reached, in words, when it is time to look."""
        began = time.monotonic()
        if began < self._next:
            return None
        processes = _family(pid)
        counted = len(processes) - 1  # not the supervisor
        kept = [_at_most(process) for process in processes]
        memory = sum(own + shared for own, shared in kept)
        if memory > self._memory:  # counts what forks share once for each of them
            memory = sum(map(_proportional, processes))
        memory += max(0, self._in_no_process(processes) - sum(shared for _, shared in kept))
        disk, files = self._on_disk(processes)
        limits = self._limits
        shares = (memory / self._memory, counted / limits.processes, disk / max(1, self._disk),
                  files / limits.files)
        now = time.monotonic()
        # Looking is to take a small part of the time, also where there is much to look at.
        self._next = now + max(_CLOSE if max(shares) > _NEAR else _CALM, 2 * (now - began))
        told = (self.too_much_memory, limits.too_many_processes,
                f"more than {_gib(self._disk)} GiB written to its temporary folder",
                f"more than {limits.files} files in its temporary folder, or too deep a tree")
        return next((text for share, text in zip(shares, told, strict=True) if share > 1), None)

    def _in_no_process(self, processes: list[psutil.Process]) -> int:
        """Bytes of files in memory that need not be mapped; looked for where the machine has more of such."""
        if _shared_here() - self._shared < self._memory // 4:
            return 0
        return sum({key: size for p in processes for key, size in _nameless(p, in_memory=True)}.values())

    def _on_disk(self, processes: list[psutil.Process]) -> tuple[int, int]:
        """Bytes on disk (holes of sparse files count nothing) and files in the folders of the run."""
        used = count = 0
        for size in _sizes(self._folders):
            used, count = used + size, count + 1
            if count > self._limits.files:
                return used, count
        # What was deleted while it is open is in no folder; it is looked for where the disk fills up.
        if any(was - _free(folder) > self._disk // 4
               for folder, was in zip(self._folders, self._free, strict=True)):
            used += sum({key: size for p in processes for key, size in _nameless(p)}.values())
        return used, count


def stands_still(pid: int) -> bool:
    """Whether a process from `pid` down was stopped by a signal."""
    for process in _family(pid):
        with contextlib.suppress(psutil.Error):
            if process.status() == psutil.STATUS_STOPPED:
                return True
    return False


def _family(pid: int) -> list[psutil.Process]:
    with contextlib.suppress(psutil.Error):
        leader = psutil.Process(pid)
        return [leader, *leader.children(recursive=True)]
    return []


def _at_most(process: psutil.Process) -> tuple[int, int]:
    """All that the process keeps in memory but the files it has mapped: its own, and shared. Cheap."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        kib = {b"RssAnon:": 0, b"RssShmem:": 0}
        for line in Path(f"/proc/{process.pid}/status").read_bytes().splitlines():
            name, *rest = line.split()
            if name in kib:
                kib[name] = int(rest[0])
        return kib[b"RssAnon:"] << 10, kib[b"RssShmem:"] << 10
    with contextlib.suppress(psutil.Error):
        memory = process.memory_info()
        return memory.rss - getattr(memory, "shared", 0), 0
    return 0, 0


def _proportional(process: psutil.Process) -> int:
    """Its memory, with what it shares divided among those who share it."""
    try:
        memory = process.memory_full_info()
        return getattr(memory, "pss", memory.uss)
    except psutil.AccessDenied:  # it may forbid that, so it counts in full
        return sum(_at_most(process))
    except psutil.Error:
        return 0


def _shared_here() -> int:
    """The bytes of this machine's memory that are files in memory, or shared. 0 where nobody counts them."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/meminfo").read_bytes().splitlines():
            if line.startswith(b"Shmem:"):
                return int(line.split()[1]) << 10
    return 0


def _sizes(folders: list[Path]) -> Iterator[int]:
    """The bytes on disk of everything below the folders."""
    waiting = [str(folder) for folder in folders]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    status = entry.stat(follow_symlinks=False)
                    yield status.st_blocks * 512 if hasattr(status, "st_blocks") else status.st_size
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:  # a tree that cannot be seen to its end
                while True:
                    yield 0


def _nameless(process: psutil.Process, in_memory: bool = False) -> Iterator[tuple[tuple[int, int], int]]:
    """The files that the process has open and no folder has: which, and their bytes on disk, or in memory."""
    with contextlib.suppress(OSError):
        for entry in os.scandir(f"/proc/{process.pid}/fd"):
            with contextlib.suppress(OSError):
                status, name = entry.stat(), os.readlink(entry.path)
                there = name.startswith(("/dev/", "/memfd:", "/SYSV"))
                if not status.st_nlink and there is in_memory:
                    yield (status.st_dev, status.st_ino), status.st_blocks * 512


def _free(folder: Path) -> int:
    with contextlib.suppress(OSError, AttributeError):
        status = os.statvfs(folder)
        return status.f_bavail * status.f_frsize
    return 0


def _gib(size: int) -> str:
    return f"{size / 2**30:.3g}"
