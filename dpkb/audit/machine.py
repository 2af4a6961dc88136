"""The limits of a machine or container that matter to DataLoaders."""

from __future__ import annotations

import math
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import psutil

from dpkb import files


@dataclass(frozen=True)
class Machine:
    """The limits of a machine or container, in bytes; None where it has none, or they cannot be read."""

    system: str
    # /dev/shm: its size, and how much of it is free.
    shm_bytes: int | None
    shm_free_bytes: int | None
    open_files: int | None
    memory_bytes: int
    # The least limit of this process's control groups: those of a container, a batch job or a service.
    memory_limit: int | None
    cores: int
    # Cores that this process may use: affinity and CPU quota.
    usable_cores: float
    python: str
    torch: str | None = None


def read_machine(python: str, torch: str | None, root: Path = Path("/")) -> Machine:
    """The limits of this machine. root: where /proc and /sys are looked for."""
    groups = _control_groups(root)
    limit = _memory_limit(groups) or _number(root / "sys/fs/cgroup/memory/memory.limit_in_bytes")
    memory = psutil.virtual_memory().total
    cores = os.cpu_count() or 1
    shm_bytes, shm_free_bytes = files.measure_disk(root / "dev/shm")
    return Machine(
        sys.platform,
        shm_bytes,
        shm_free_bytes,
        _open_files(),
        memory,
        limit if limit and limit < memory else None,
        cores,
        _usable_cores(groups, cores),
        python,
        torch,
    )


def _number(path: Path) -> int | None:
    try:
        text = path.read_text().strip()
    except OSError:
        return None
    return int(text) if text.isdigit() else None


def _open_files() -> int | None:
    try:
        import resource
    except ImportError:  # Windows
        return None
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return None if limit == resource.RLIM_INFINITY else limit


def _control_groups(root: Path) -> list[Path]:
    """The control group (v2) of this process and all groups above it: each may have a limit."""
    top = root / "sys/fs/cgroup"
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return [top]
    name = next((line[len("0::/") :] for line in lines if line.startswith("0::/")), "")
    if ".." in Path(name).parts:  # its files are outside of this container
        return [top]
    own = top / name
    return [group for group in (own, *own.parents) if group.is_relative_to(top)]


def _memory_limit(groups: list[Path]) -> int | None:
    limits = [_number(group / "memory.max") for group in groups]
    return min((limit for limit in limits if limit is not None), default=None)


def _usable_cores(groups: list[Path], cores: int) -> float:
    """Cores by affinity, or by the least quota of the control groups, whichever is less."""
    usable = float(len(os.sched_getaffinity(0))) if hasattr(os, "sched_getaffinity") else float(cores)
    return min(usable, *(_cpu_quota(group) for group in groups))


def _cpu_quota(group: Path) -> float:
    try:
        quota, period = (group / "cpu.max").read_text().split()
    except (OSError, ValueError):
        return math.inf
    return int(quota) / int(period) if quota.isdigit() else math.inf
