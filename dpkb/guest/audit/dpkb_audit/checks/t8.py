"""T8: the workers cannot load as fast as the model computes."""

from __future__ import annotations

from dpkb_audit.check import LIKELY
from dpkb_audit.checks._waits import LARGE_SHARE, LONG_WAIT, WaitCheck, steady_waits

MYPY = False
if MYPY:
    from typing import Any


class T8(WaitCheck):
    watches = "the time that the program waits for batches although there are workers"
    fix = "use more workers if they wait for storage, cheaper or cached decoding if they compute"

    def __init__(self, session: Any) -> None:
        super().__init__(session)
        self._epochs: dict[int, int] = {}

    def look(self, record: Any) -> None:
        if not record.num_workers:
            return
        waits, share = steady_waits(record)
        if share < LARGE_SHARE or sum(waits) / len(waits) < LONG_WAIT:
            return
        # A second epoch must agree: the first one may read from a cold cache.
        self._epochs[record.number] = self._epochs.get(record.number, 0) + 1
        if self._epochs[record.number] == 2:
            self.report(LIKELY, f"{share:.0%} of the time of an epoch was spent waiting for "
                        f"{record.num_workers} workers, {sum(waits) / len(waits) * 1000:.0f} ms for each "
                        "batch",
                        where=record.where, share=round(share, 2))
