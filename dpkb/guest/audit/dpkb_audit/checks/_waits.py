"""What the waits of an epoch look like; used by T4, T5, T7 and T8."""

from __future__ import annotations

from dpkb_audit.check import Check

MYPY = False
if MYPY:
    from typing import Any

# Fewer batches say nothing about a rhythm.
LEAST_BATCHES = 8
# A wait that matters, and the share of an epoch that does.
LONG_WAIT, LARGE_SHARE = 0.010, 0.5
# With shorter steps there is no training that could be faster: a test, or a loop that only reads.
_LEAST_WORK = 0.004


class WaitCheck(Check):
    """Looks at the waits of each epoch, also of one that the program left before its end."""

    def look(self, record: Any) -> None:
        """Look at record.waits and record.works: an epoch has ended."""
        raise NotImplementedError

    def on_epoch_started(self, record: Any) -> None:
        if record.waits and not record.notes.pop(self.id, False):
            self.look(record)

    def on_epoch_ended(self, record: Any) -> None:
        record.notes[self.id] = True
        self.look(record)

    def on_end(self) -> None:
        for record in self.session.loaders:
            if record.waits and not record.notes.pop(self.id, False):
                self.look(record)


def steady_waits(record: Any) -> tuple[list[float], float]:
    """The waits of the epoch without its beginning, and their share of that time; ([], 0.0) if it was short.

    In the beginning the workers start, and fill the queue.
    """
    skipped = max(record.num_workers * 2, 1)
    waits, works = record.waits[skipped:], record.works[skipped - 1:]
    if len(waits) < LEAST_BATCHES or not works_between(record):
        return [], 0.0
    total = sum(waits) + sum(works[:len(waits)])
    return waits, sum(waits) / total if total else 0.0


def works_between(record: Any) -> bool:
    """Whether the program does something between the batches that takes time."""
    return bool(record.works) and median(record.works) >= _LEAST_WORK


def median(values: list[float]) -> float:
    """The middle value."""
    return sorted(values)[len(values) // 2]
