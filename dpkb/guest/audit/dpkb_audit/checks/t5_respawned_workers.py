"""T5: each epoch begins with a pause, because new workers start."""

from __future__ import annotations

from typing import Any

from dpkb_audit.check import LIKELY
from dpkb_audit.checks._waits import WaitCheck, works_between
from dpkb_audit.records import LoaderRecord
from dpkb_audit.system import time

# A pause must last at least this long.
_MIN_SECONDS = 0.15
# A pause must be at least this share of the epoch.
_MIN_SHARE = 0.3
# All pauses together must last longer than this.
_MIN_SECONDS_IN_ALL = 0.5
# A program uses next(iter(loader)) if it takes at most this many batches from each iterator.
_FEW_BATCHES = 2
# At least this many such iterators are needed for a report.
_MIN_RESTARTS = 10


class T5(WaitCheck):
    description = "the wait for the first batch of each epoch"
    fix = "use persistent_workers=True, and one loader for all epochs"

    def prepare(self) -> None:
        super().prepare()
        # Line that created a loader -> the pauses of its epochs. Each epoch may have a new loader.
        self._pauses: dict[Any, list[float]] = {}
        # The same line -> when the first epoch of few batches was abandoned, and the pauses of later epochs.
        self._restarts: dict[Any, tuple[float, list[float]]] = {}

    def on_epoch_started(self, record: LoaderRecord) -> None:
        self.keep(record, time.perf_counter())

    def on_epoch_abandoned(self, record: LoaderRecord) -> None:
        if record.num_workers and 0 < len(record.wait_seconds) <= _FEW_BATCHES:
            self._follow_restart(record)
        else:
            self.look_at_epoch(record)

    def _follow_restart(self, record: LoaderRecord) -> None:
        if record.where not in self._restarts:
            self._restarts[record.where] = time.perf_counter(), []
            return
        since, pauses = self._restarts[record.where]
        later = sum(record.wait_seconds[1:]) + sum(record.work_seconds)
        pauses.append(record.delivered_at - self.find_value(record) - later)
        share = sum(pauses) / (time.perf_counter() - since)
        if len(pauses) >= _MIN_RESTARTS and sum(pauses) > _MIN_SECONDS_IN_ALL and share > _MIN_SHARE:
            self.report(
                LIKELY,
                f"iter(loader) was called {len(pauses) + 1} times, for at most {_FEW_BATCHES} "
                f"batches each, and {share:.0%} of the time was spent waiting for the first: the "
                f"{record.num_workers} workers begin again each time",
                where=record.where,
                fix="keep one iterator, or write `for batch in loader`: next(iter(loader)) starts an epoch",
                share=round(share, 2),
            )

    def look_at_epoch(self, record: LoaderRecord) -> None:
        if not record.num_workers or len(record.wait_seconds) < 3 or not works_between(record):
            return
        remaining = sum(record.wait_seconds[1:]) + sum(record.work_seconds)
        usual = sorted(record.wait_seconds)[len(record.wait_seconds) // 2]
        first = record.wait_seconds[0]
        if record.cpu_times and record.start_cpu_times:
            (_, _, loading, own), (_, _, _, own_later) = record.cpu_times[0], record.cpu_times[-1]
            remaining = max(remaining - (own_later[1] - own[1]), 0.1 * remaining)
            # Subtract the time for which other programs had the core, but keep at least the time that the
            # workers computed.
            are_new = record.epochs == 1 or not record.persistent_workers
            least = min(first, loading[0] / record.num_workers) if are_new else 0.0
            first = max(first - loading[1] / record.num_workers - (own[1] - record.start_cpu_times[1]), least)
        pauses = self._pauses.setdefault(record.where, [])
        # Every program waits for the first start. If all batches take as long, the start is not the cause.
        if first > _MIN_SECONDS and first > _MIN_SHARE * (first + remaining) and first > 5 * usual:
            if pauses and sum(pauses[1:]) + first > _MIN_SECONDS_IN_ALL:
                is_new = record.persistent_workers and record.epochs == 1
                self.report(
                    LIKELY,
                    f"epoch {len(pauses) + 1} began with a wait of {first:.1f} s, "
                    f"{first / (first + remaining):.0%} of the epoch: {record.num_workers} new workers were "
                    "started" + (", because the loader is new in each epoch" if is_new else ""),
                    where=record.where,
                    seconds=round(first, 2),
                )
        else:
            first = 0.0
        pauses.append(first)
