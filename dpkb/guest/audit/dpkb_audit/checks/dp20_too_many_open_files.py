"""DP20: open descriptors of shared memory that become more and more, because the program keeps tensors."""

from __future__ import annotations

from typing import Any

from dpkb_audit.check import LIKELY, Check
from dpkb_audit.records import LoaderRecord
from dpkb_audit.system import os


class DP20(Check):
    description = "the open files of a process whose batches come from workers"
    fix = "keep label.clone(), or a number: a kept tensor of a worker holds an open descriptor"

    def on_batch(self, record: LoaderRecord, batch: Any, waited: float) -> None:
        loader, at = record.loader, record.batch
        if loader is None or not loader.num_workers or at not in (32, 64, 128, 256, 512) or not _folder():
            return
        if at == 32 or self.find_value(record) is None:
            self.keep(record, {})
        counts = self.find_value(record)
        counts[at] = len(os.listdir(_folder()))
        before = counts.get(at // 2)
        if before is None or counts[at] - before < at // 2 * 0.9:
            return
        limit, rate = _limit(), (counts[at] - before) / (at // 2)
        length = record.length or 2 * at
        expected = counts[at] + rate * (length - at)
        if limit and expected > 0.9 * limit:
            self.report(
                LIKELY,
                f"{counts[at]} files were open after {at} batches, {before} after "
                f"{at // 2}: each batch leaves {rate:.1g} open, and the limit is {limit}",
                open_files=counts[at],
                limit=limit,
            )


def _folder() -> str:
    return "/proc/self/fd" if os.path.isdir("/proc/self/fd") else ""


def _limit() -> int:
    import resource

    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return 0 if limit == resource.RLIM_INFINITY else limit
