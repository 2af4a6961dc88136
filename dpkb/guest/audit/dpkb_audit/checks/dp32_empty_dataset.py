"""DP32: an epoch without a batch, because there is no data, or because a stream was used up before."""

from __future__ import annotations

from dpkb_audit.check import CERTAIN, LIKELY, Check
from dpkb_audit.checks._datasets import is_stream
from dpkb_audit.lengths import read_length
from dpkb_audit.records import LoaderRecord


class DP32(Check):
    description = "epochs of loaders that have no batch"
    fix = "raise an error where the list of samples is made, if it is empty"

    def on_epoch_ended(self, record: LoaderRecord) -> None:
        loader = record.loader
        if record.batch or loader is None:
            return
        if is_stream(loader.dataset):
            if record.batches and self.audit.world_size < 2:
                self.report(
                    CERTAIN,
                    f"epoch {record.epochs} had no batch, after {record.batches} batches before it: the "
                    "iterator of the dataset was used up",
                    where=record.where,
                    fix="make a new iterator in each call of __iter__ of the dataset",
                    batches=record.batches,
                )
        elif read_length(loader.dataset) == 0:
            self.report(
                LIKELY,
                "an epoch had no batch: the dataset has 0 samples",
                where=record.where,
            )
