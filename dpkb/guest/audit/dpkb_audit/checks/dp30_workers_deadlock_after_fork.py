"""DP30: a forked worker waits for a lock that nothing releases, or a thread that the fork did not copy."""

from __future__ import annotations

from typing import Any

from dpkb_audit.check import LIKELY, Check
from dpkb_audit.memory import was_forked
from dpkb_audit.records import LoaderRecord
from dpkb_audit.system import open


class DP30(Check):
    description = "the lock or data that a worker waits for when its batch does not come (on Linux)"
    fix = 'create locks, pools and clients in the worker, or pass multiprocessing_context="spawn"'

    def on_batch_late(self, record: LoaderRecord, workers: Any, late_worker: int, seconds: float) -> None:
        waiting = workers[late_worker]
        if not was_forked(waiting) or "futex" not in _read_proc(waiting.pid, "wchan"):
            return
        # If processes share the lock, the process that has it is running.
        states = [_read_proc(worker.pid, "stat").rpartition(")")[2].split()[:1] for worker in workers]
        if ["R"] in states or ["D"] in states:
            return
        self.report(
            LIKELY,
            f"worker {late_worker} has delivered nothing for {seconds:.0f} s: it waits for a lock or "
            "a thread, and no worker computes. A fork copies the locks of the main process as they are, and "
            "none of the other threads that could release them",
            where=record.where,
            worker=late_worker,
        )


def _read_proc(pid: int, name: str) -> str:
    try:
        with open(f"/proc/{pid}/{name}", encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""
