"""O30: the loss grows until it is not finite."""

from __future__ import annotations

import math
from typing import Any

from dpkb_audit.check import LIKELY
from dpkb_audit.checks._loss_causes import CauseCheck
from dpkb_audit.user_code import find_user_line

# A finite loss has exploded if it is more than this many times the median of the first losses.
_EXPLODED_RATIO = 1e4
# A loss has exploded only if it is above this.
_MIN_LOSS = 1e3
# The loss must be that large in this many passes in a row.
_HIGH_PASSES = 5


class O30(CauseCheck):
    cpu_only = True
    description = "losses that grow"
    fix = "a learning rate of a tenth, or a warm-up"
    cause_kind = "growth"

    _high = 0
    _exploded: Any = None

    def on_backward_started(self, tensors: Any) -> None:
        loss, first = self.training.loss, self.training.first_losses
        if loss is None or len(first) < 5:
            return
        self._high = self._high + 1 if math.isfinite(loss) and self._is_high(loss) else 0
        if self._high == _HIGH_PASSES:
            self.report_cause(f"it grew from {first[0]:.3g} to {loss:.3g}")

    def _is_high(self, loss: float) -> bool:
        if abs(loss) <= _MIN_LOSS:  # nearly always
            return False
        first = sorted(map(abs, self.training.first_losses))
        return not math.isfinite(loss) or (
            bool(first) and abs(loss) > _EXPLODED_RATIO * first[len(first) // 2]
        )

    def report_cause(self, clause: str) -> None:
        self._exploded = self._exploded or (clause, find_user_line())

    def on_end(self) -> None:
        # A program may return to a checkpoint, and continue with a smaller rate.
        if self._exploded and self.training.loss is not None and self._is_high(self.training.loss):
            self.report(LIKELY, f"the loss explodes: {self._exploded[0]}", where=self._exploded[1])
