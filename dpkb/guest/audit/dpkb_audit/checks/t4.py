"""T4: the program waits for each batch, because it is loaded in the process that trains."""

from __future__ import annotations

from dpkb_audit.check import LIKELY
from dpkb_audit.checks._waits import LONG_WAIT, WaitCheck, median, steady_waits

MYPY = False
if MYPY:
    from typing import Any


class T4(WaitCheck):
    watches = "the time that the program waits for batches of a loader without workers"
    fix = "set num_workers=2 or more, so that batches are loaded while the model computes"

    def look(self, record: Any) -> None:
        if record.num_workers:
            return
        waits, share = steady_waits(record)
        if share > 0.4 and median(waits) >= LONG_WAIT:
            self.report(LIKELY, f"{share:.0%} of the time of an epoch was spent loading batches in the "
                        f"training process, {median(waits) * 1000:.0f} ms for each", where=record.where,
                        share=round(share, 2))
