"""T8: the workers cannot load as fast as the model computes."""

from __future__ import annotations

from dpkb_audit.checks._waits import LARGE_WAIT_SHARE, WaitCheck, Waits
from dpkb_audit.records import LoaderRecord


class T8(WaitCheck):
    description = "the time that the program waits for batches although there are workers"
    fix = "use more workers if they wait for storage, cheaper or cached decoding if they compute"

    def look_at_epoch(self, record: LoaderRecord) -> None:
        if not record.num_workers:
            return
        waits = Waits(record)
        if waits.share < LARGE_WAIT_SHARE or waits.mean < waits.long or waits.find_stalls():
            return  # stalls at single batches are T7
        message = (
            f"{waits.share:.0%} of the time of an epoch was spent waiting for {record.num_workers} "
            f"workers, {waits.mean * 1000:.0f} ms for each batch"
        )
        fix = self.fix
        if waits.computing > 0.6:
            message += f"; they computed for {waits.computing:.0%} of it"
            fix = "do less work for each sample (decode once, store the result), or use more cores"
        elif 0 < waits.computing < 0.3:
            message += f"; they computed for {waits.computing:.0%} of it, and waited otherwise"
            fix = "use more workers than cores, or bring the data closer: the workers wait for it"
        self.follow_epoch(record, waits.share, message, fix)
