"""C13: a checkpoint from the middle of an epoch, after which the epoch begins again."""

from __future__ import annotations

from dpkb_audit.check import LIKELY, Check
from dpkb_audit.checks import _checkpoints as checkpoints
from dpkb_audit.where import user_line

MYPY = False
if MYPY:
    from typing import Any


class C13(Check):
    watches = ("checkpoints from the middle of an epoch: whether they have the position, and where the "
               "data go on")
    fix = "save how many batches of the epoch were used, and leave these out after the resume"

    def __init__(self, session: Any) -> None:
        super().__init__(session)
        # Outline and numbers of a checkpoint without a position -> where it was in the data.
        self._saved: dict[Any, dict[str, Any]] = {}
        self._resumed: dict[str, Any] | None = None

    def on_epoch_started(self, record: Any) -> None:
        # The loader itself may be gone before its iterator is.
        record.notes["C13"] = _length(record.loader), getattr(record.loader, "batch_size", None), _dataset(
            record.loader)

    def on_saved(self, obj: Any, target: Any) -> None:
        record = self.session.loader
        known = record.notes.get("C13") if record is not None else None
        size, batch_size, dataset = known or (None, None, None)
        outline = checkpoints.outline(obj)
        if (record is None or size is None or outline is None or not record.trained
                or not 0 < record.batch < size or len(self._saved) > 1000):
            return
        values = list(checkpoints.parts(obj))
        if not any(map(checkpoints.is_model_state, values)):
            return
        found = checkpoints.numbers(obj)
        counts = [record.batch, record.batches, self.session.step]
        positions = {count * unit + more
                     for count in counts for unit in (1, batch_size or 1) for more in (-1, 0, 1)}
        if not found & (positions - {0}):
            self._saved[outline, tuple(sorted(found))] = {
                "batch": record.batch, "size": size, "where": user_line(), "dataset": dataset}

    def on_loaded(self, obj: Any, source: Any) -> None:
        outline = checkpoints.outline(obj)
        if outline is not None:
            self._resumed = self._saved.get((outline, tuple(sorted(checkpoints.numbers(obj)))))

    def on_backward_started(self, tensors: Any) -> None:
        resumed, record = self._resumed, self.session.loader
        if resumed is None or record is None:
            return
        self._resumed = None
        # The first batch that is trained on after the load.
        size, _, dataset = record.notes.get("C13", (None,) * 3)
        if record.batch == 1 and (size, dataset) == (resumed["size"], resumed["dataset"]):
            self.report(
                LIKELY, f"the checkpoint was saved after {resumed['batch']} of {resumed['size']} batches "
                        "of an epoch, "
                "without that number; after loading it the loader began again with its first batch",
                where=resumed["where"], batch=resumed["batch"], of=resumed["size"])


def _length(loader: Any) -> int | None:
    try:
        return len(loader)
    except Exception:
        return None


def _dataset(loader: Any) -> Any:
    dataset = getattr(loader, "dataset", None)
    return type(dataset).__name__, _length(dataset)
