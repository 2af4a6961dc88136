"""For the Trainer of transformers, and those of trl: `Trainer(…, callbacks=[DpkbCallback()])`."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from transformers import TrainerCallback

from dpkb.audit import AuditReport
from dpkb.integrations import TrainingWatch


class DpkbCallback(TrainerCallback):
    """Watches each train() of a Trainer, and prints each finding once, when it is made.

    ignore: ids of entries. A train() that raises is watched until the next one, or until close().
    The number of findings, dpkb_findings, is in the logs of trackers whose callbacks come later: not of those in
    report_to, but with report_to=[] of `callbacks=[DpkbCallback(), TensorBoardCallback()]`.
    """

    def __init__(self, ignore: Collection[str] = (), hints: bool = False) -> None:
        self._watch = TrainingWatch(ignore, hints)

    @property
    def report(self) -> AuditReport | None:
        """The report of the last train(); None before the first."""
        return self._watch.report

    def close(self) -> None:
        """Watch no more."""
        self._watch.finish()

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Begin to watch."""
        self.close()
        self._watch.start()

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Watch no more."""
        self.close()

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **kwargs: Any) -> None:
        """Write the number of findings into the logs of the Trainer."""
        if logs is not None and self._watch.count:
            logs["dpkb_findings"] = self._watch.count
