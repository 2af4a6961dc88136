"""The CPU times of processes, as the kernel of Linux counts them."""

from __future__ import annotations

from collections.abc import Iterable

from dpkb_audit.system import open, os


def measure_cpu_times(pids: Iterable[int]) -> tuple[float, float] | None:
    """Seconds for which the main threads of these processes computed, and waited for a core.

    None if the kernel does not say.
    """
    computed = delayed = 0
    try:
        for pid in pids:
            with open(f"/proc/{pid}/schedstat") as file:
                numbers = file.read().split()
            computed, delayed = computed + int(numbers[0]), delayed + int(numbers[1])
    except (OSError, ValueError, IndexError):
        return None
    return computed / 1e9, delayed / 1e9


def count_cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
