"""O35: a sample of the data holds nan or inf."""

from __future__ import annotations

import math
import weakref

from dpkb_audit.check import CERTAIN
from dpkb_audit.checks._causes import CauseCheck, all_finite
from dpkb_audit.contents import tensors_in
from dpkb_audit.digest import is_readable

MYPY = False
if MYPY:
    from typing import Any


class O35(CauseCheck):
    watches = "the batch of the first loss that is not finite"
    fix = "repair or leave out these samples, and start from a checkpoint without nan"
    cause = "data"

    _batch: tuple[Any, int, list[Any]] | None = None

    def on_batch(self, record: Any, batch: Any, waited: float) -> None:
        self._batch = record.where, record.batch, [weakref.ref(t) for t in tensors_in(batch)[:20]]

    def on_backward_started(self, tensors: Any) -> None:
        import torch

        loss = self.session.loss
        if not self._passes and self._batch and loss is not None and not math.isfinite(loss):
            where, number, references = self._batch
            for tensor in [reference() for reference in references]:
                if tensor is None or not is_readable(tensor) or not tensor.is_floating_point():
                    continue
                # -inf is the usual value of an attention mask.
                bad = (torch.isnan(tensor) | (tensor == math.inf)).detach()
                if bool(bad.any()) and all_finite(self.session):
                    rows = int(bad.reshape(len(bad), -1).any(1).sum()) if bad.dim() else 1
                    self.session.notes["cause"] = (
                        "data", f"{int(bad.sum())} values in {rows} of {len(bad) if bad.dim() else 1} "
                                f"samples of batch {number} are nan or inf")
                    self._where = where
                    break
        super().on_backward_started(tensors)

    _where: Any = None

    def report_cause(self, seen: str) -> None:
        self.report(CERTAIN, f"the loss is not finite: {seen}", where=self._where)
