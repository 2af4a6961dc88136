"""T7: the program stalls at every num_workers-th batch, or sometimes at a slow batch."""

from __future__ import annotations

from dpkb_audit.checks._waits import MIN_WAIT_SHARE, WaitCheck, Waits
from dpkb_audit.records import LoaderRecord


class T7(WaitCheck):
    description = "waits that come back with the number of workers, and rare long ones"
    fix = "use more workers: these load fewer batches in a round than the model uses"

    def look_at_epoch(self, record: LoaderRecord) -> None:
        waits = Waits(record)
        if not record.num_workers or waits.share < MIN_WAIT_SHARE:
            return
        slow, stalls, message, fix = waits.find_rhythm(), waits.find_stalls(), "", self.fix
        # A rhythm is never there by chance, but other programs may hide it in one of the epochs.
        if slow:
            message = (
                f"the program waited {slow * 1000:.0f} ms for one in every {record.num_workers} batches, and "
                f"hardly for the others: {waits.share:.0%} of the epoch"
            )
        elif stalls:
            message = (
                f"{len(stalls)} of {len(waits.each)} batches had most of the waiting, "
                f"{min(stalls) * 1000:.0f} ms or more each: {waits.share:.0%} of the epoch"
            )
            fix = "set prefetch_factor=8, so that the queue bridges single slow batches"
        self.follow_epoch(record, waits.share, message, fix)
