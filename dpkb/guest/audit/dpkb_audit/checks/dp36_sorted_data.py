"""DP36: batches of one class each, from data that is sorted by class."""

from __future__ import annotations

from typing import Any

from dpkb_audit.check import LIKELY, Check
from dpkb_audit.records import LoaderRecord
from dpkb_audit.tensors import is_readable, is_tensor
from dpkb_audit.user_code import find_user_line

# A batch needs this many labels, an epoch this many batches.
_MIN_LABELS, _MIN_BATCHES = 8, 6
# At most this many labels of a batch are read, and this many batches.
_MAX_LABELS, _MAX_BATCHES = 4096, 400
# At most this share of the batches may have two classes, where one class ends and the next begins.
_MIXED_SHARE = 0.35


class DP36(Check):
    cpu_only = True
    description = "the classes in each batch of the first epoch, as the loss gets them"
    fix = "shuffle=True for the training loader; if the dataset cannot be shuffled, mix its rows when they are written"

    def prepare(self) -> None:
        # The loader whose labels are followed, and the number of its last batch.
        self._record: LoaderRecord | None = None
        self._batch = 0
        # The lowest and highest label of each batch, and the line of the loss.
        self._classes: list[tuple[int, int]] = []
        self._line: Any = None

    def on_loss(self, name: str, arguments: dict[str, Any], result: Any) -> None:
        record = self.training.loader
        labels: Any = arguments.get("target")
        if record is None or record.epochs != 1 or name not in ("cross_entropy", "nll_loss"):
            return
        if (
            len(self._classes) >= _MAX_BATCHES
            or not is_tensor(labels)
            or labels.dim() != 1
            or not _MIN_LABELS <= labels.numel() <= _MAX_LABELS
            or labels.is_floating_point()
            or not is_readable(labels)
            or not result.requires_grad
            or not self.audit.can_look()
        ):
            return
        if self._record is not record:
            self._look_back()
            self._record = record
        elif record.batch == self._batch:  # a second loss of a batch has labels of another kind
            self._classes = [(0, 1)] * _MAX_BATCHES
            return
        self._batch = record.batch
        self._classes.append((int(labels.min()), int(labels.max())))
        self._line = find_user_line()

    def on_epoch_ended(self, record: LoaderRecord) -> None:
        if self._record is record:
            self._look_back()

    def on_end(self) -> None:
        self._look_back()

    def _look_back(self) -> None:
        """Report the labels of an epoch that come one class after the other."""
        classes, self._classes, self._record = self._classes, [], None
        pure = [low for low, high in classes if low == high]
        runs = [label for label, before in zip(pure, [None, *pure]) if label != before]
        # Batches that are drawn from one class at a time come back to a class: that is on purpose.
        if (
            len(classes) >= _MIN_BATCHES
            and len(runs) == len(set(runs)) > 1
            and len(classes) - len(pure) <= _MIXED_SHARE * len(classes)
        ):
            self.report(
                LIKELY,
                f"{len(pure)} of the first {len(classes)} batches had one class each, one class after the "
                "other: the data is sorted, and the order is not random",
                where=self._line,
                batches=len(classes),
                classes=len(runs),
            )
