"""T7: the program stalls at every num_workers-th batch."""

from __future__ import annotations

from dpkb_audit.check import LIKELY
from dpkb_audit.checks._waits import WaitCheck, median, steady_waits

MYPY = False
if MYPY:
    from typing import Any


class T7(WaitCheck):
    watches = "waits that come back with the number of workers"
    fix = "use more workers: these load fewer batches in a round than the model uses"

    def __init__(self, session: Any) -> None:
        super().__init__(session)
        self._epochs: dict[int, int] = {}

    def look(self, record: Any) -> None:
        workers = record.num_workers
        waits, share = steady_waits(record)
        if workers < 2 or share < 0.3 or len(waits) < 3 * workers:
            return
        sums = [sum(waits[place::workers]) for place in range(workers)]
        longest = max(range(workers), key=sums.__getitem__)
        # One place of each round has nearly all of the waiting, and it is long each time.
        rhythm = sums[longest] > 0.8 * sum(sums) and median(waits[longest::workers]) > 0.01
        if not rhythm:
            return
        self._epochs[record.number] = self._epochs.get(record.number, 0) + 1
        if self._epochs[record.number] == 2:
            self.report(LIKELY, "the program waited "
                        f"{median(waits[longest::workers]) * 1000:.0f} ms for every {workers}th batch, and "
                        f"hardly for the others, with {workers} workers: {share:.0%} of the epoch",
                        where=record.where, share=round(share, 2))
