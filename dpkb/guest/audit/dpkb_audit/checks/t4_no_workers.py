"""T4: the program waits for each batch, because the training process itself loads it."""

from __future__ import annotations

from dpkb_audit.check import LIKELY
from dpkb_audit.checks._waits import WaitCheck, Waits
from dpkb_audit.memory import start_method
from dpkb_audit.records import LoaderRecord

# The waits of an epoch that workers with another start method than fork would save must be longer than this.
_MIN_WAITED_SECONDS = 5.0


class T4(WaitCheck):
    description = "the time that the program waits for batches of a loader without workers"
    fix = "set num_workers=2 or more, so that batches are loaded while the model computes"

    def look_at_epoch(self, record: LoaderRecord) -> None:
        if record.num_workers:
            return
        waits = Waits(record)
        # The typical batch must be slow: a few slow batches are not reported.
        usual = sorted(waits.each)[len(waits.each) // 4] if waits.each else 0.0
        # Workers that are not forked import torch when an epoch starts them.
        costs_more = start_method() != "fork" and sum(waits.each) < _MIN_WAITED_SECONDS
        if waits.share > 0.4 and usual >= waits.long and not costs_more:
            self.report(
                LIKELY,
                f"{waits.share:.0%} of the time of an epoch was spent loading batches in the "
                f"training process, {usual * 1000:.0f} ms or more for most",
                where=record.where,
                share=round(waits.share, 2),
            )
