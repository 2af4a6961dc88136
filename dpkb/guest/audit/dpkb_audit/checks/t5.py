"""T5: each epoch begins with a pause, because new workers start."""

from __future__ import annotations

from dpkb_audit.check import LIKELY
from dpkb_audit.checks._waits import WaitCheck, works_between

MYPY = False
if MYPY:
    from typing import Any

# A pause that matters: seconds, and its share of the epoch.
_SECONDS, _SHARE = 0.35, 0.3


class T5(WaitCheck):
    watches = "the wait for the first batch of each epoch"
    fix = "use persistent_workers=True, and one loader for all epochs"

    def __init__(self, session: Any) -> None:
        super().__init__(session)
        # Line that created the loader -> the pauses of its epochs; each epoch may have a loader of its own.
        self._pauses: dict[Any, list[float]] = {}

    def look(self, record: Any) -> None:
        if not record.num_workers or len(record.waits) < 3 or not works_between(record):
            return
        first, rest = record.waits[0], sum(record.waits[1:]) + sum(record.works)
        usual = sorted(record.waits)[len(record.waits) // 2]
        pauses = self._pauses.setdefault(record.where, [])
        # The first start has to be waited for by anybody; so has one whose batches all take as long.
        if pauses and first > _SECONDS and first > _SHARE * (first + rest) and first > 5 * usual:
            is_new = record.persistent_workers and record.epochs == 1
            if len(pauses) >= 2 or first > 1.0:
                self.report(
                    LIKELY, f"epoch {len(pauses) + 1} began with a wait of {first:.1f} s, "
                    f"{first / (first + rest):.0%} of the epoch: {record.num_workers} new workers were "
                    "started"
                    + (", because the loader is new in each epoch" if is_new else ""),
                    where=record.where, seconds=round(first, 2))
        pauses.append(first)
