"""Q2: the loss is nan or infinite."""

from __future__ import annotations

import math
from typing import Any

from dpkb_audit.check import CERTAIN, Check


class Q2(Check):
    description = "losses that are not finite"
    cpu_only = True
    fix = "find the first operation that is not finite: dpkb show Q2 has the procedure"

    # The number of such losses in a row.
    _bad = 0

    def on_backward_started(self, tensors: Any) -> None:
        loss = self.training.loss
        if loss is None:
            return
        if math.isfinite(loss):
            self._bad = 0
            return
        self._bad += 1
        # A GradScaler or the program itself may skip a single such loss.
        if self._bad == 3:
            first = self.training.counts["backward passes"] - 2
            losses = ", ".join(f"{loss:.3g}" for loss in self.training.last_losses[-3:])
            before = f"; the last finite losses were {losses}" if losses else ""
            self.report(CERTAIN, f"the loss is {loss} from backward pass {first} on{before}", first=first)
