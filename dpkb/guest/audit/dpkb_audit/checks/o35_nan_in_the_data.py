"""O35: a sample of the data has nan or inf."""

from __future__ import annotations

from typing import Any

from dpkb_audit.check import CERTAIN
from dpkb_audit.checks._loss_causes import CauseCheck
from dpkb_audit.records import BatchRecord, LoaderRecord


class O35(CauseCheck):
    cpu_only = True
    description = "the batch of the first loss that is not finite"
    fix = "repair or leave out these samples, and start from a checkpoint without nan"
    cause_kind = "data"

    _where: Any = None

    def on_batch(self, record: LoaderRecord, batch: Any, waited: float) -> None:
        if self._passes < 1:
            self._where = record.where
            self.training.last_batch = BatchRecord(record.batch, batch)

    on_batch_passed = on_batch

    def report_cause(self, clause: str) -> None:
        self.report(CERTAIN, f"the loss is not finite: {clause}", where=self._where)
