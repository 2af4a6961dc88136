"""O14: CrossEntropyLoss gets inputs that it does not expect, and raises no error."""

from __future__ import annotations

from typing import Any

from dpkb_audit.check import CERTAIN, LIKELY, Check
from dpkb_audit.tensors import is_readable

# At most this many calls are looked at.
_MAX_LOOKS = 12
# Scores need at least this many rows: a single row can have the sum 1 by chance.
_MIN_ROWS = 4
# Scores are read if they have at most this many values.
_MAX_VALUES = 100_000


class O14(Check):
    description = "the inputs of classification losses: probabilities for logits, targets of another form"
    cpu_only = True
    fix = "give CrossEntropyLoss the logits of shape (N, C, ...) and class numbers of shape (N, ...)"

    _looks = 0

    def on_loss(self, name: str, arguments: dict[str, Any], result: Any) -> None:
        if self._looks >= _MAX_LOOKS:
            self.pause("loss")
            return
        if name not in ("cross_entropy", "nll_loss"):
            return
        scores, target = arguments.get("input"), arguments.get("target")
        if scores is None or target is None or scores.dim() < 2 or not self.audit.can_look():
            return
        self._looks += 1
        classes = scores.shape[1]
        if name == "cross_entropy" and classes == 1:
            self.report(
                CERTAIN,
                "CrossEntropyLoss over one logit: the loss is 0 for every target",
                fix="BCEWithLogitsLoss for two classes, MSELoss for a number",
                classes=1,
            )
            return
        if scores.numel() <= _MAX_VALUES and is_readable(scores) and is_readable(target):
            self._look_at_values(name, scores.detach(), target.detach())

    def _look_at_values(self, name: str, scores: Any, target: Any) -> None:
        rows = scores.float().sum(1)
        if rows.numel() >= _MIN_ROWS and float(scores.min()) >= 0 and bool(((rows - 1).abs() < 1e-3).all()):
            if name == "cross_entropy":
                self.report(
                    CERTAIN,
                    "CrossEntropyLoss got probabilities (no value is negative, and each row "
                    "adds up to 1): it applies softmax again",
                    fix="remove the softmax before the loss: CrossEntropyLoss takes the logits",
                )
            else:
                self.report(
                    CERTAIN,
                    "NLLLoss got probabilities, not log-probabilities",
                    fix="use log_softmax before NLLLoss, or CrossEntropyLoss on the logits",
                )
        elif (
            name == "cross_entropy"
            and target.is_floating_point()
            and target.shape == scores.shape
            and bool(((target == 0) | (target == 1)).all())
            and bool((target.sum(1) > 1).any())
        ):
            self.report(
                LIKELY,
                "CrossEntropyLoss got targets with several ones in a row, and takes them for probabilities",
                fix="BCEWithLogitsLoss if a sample can have several labels",
            )
