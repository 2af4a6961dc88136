"""For Lightning: `Trainer(…, callbacks=[DpkbCallback()])`, of lightning or of pytorch_lightning."""

from __future__ import annotations

import sys
from collections.abc import Collection
from typing import Any

from dpkb.audit import AuditReport
from dpkb.integrations import TrainingWatch

# The program has imported one of them already; a Trainer takes only callbacks of its own package.
if "lightning" in sys.modules or "pytorch_lightning" not in sys.modules:
    from lightning.pytorch import Callback
else:
    from pytorch_lightning import Callback  # type: ignore[assignment]


class DpkbCallback(Callback):
    """Watches each fit(), prints each finding once, when it is made, and explains an exception.

    ignore: ids of entries. The number of findings goes to the loggers as dpkb_findings.
    """

    def __init__(self, ignore: Collection[str] = (), hints: bool = False) -> None:
        self._watch = TrainingWatch(ignore, hints)
        self._logged = 0

    @property
    def report(self) -> AuditReport | None:
        """The report of the last fit(); None before the first."""
        return self._watch.report

    def setup(self, trainer: Any, pl_module: Any, stage: str) -> None:
        """Begin to watch, before optimizers and loaders exist."""
        if stage == "fit":
            self._watch.start()

    def on_train_batch_end(self, trainer: Any, *args: Any, **kwargs: Any) -> None:
        """Tell the loggers of new findings."""
        if self._watch.count > self._logged:
            self._logged = self._watch.count
            for logger in trainer.loggers:
                logger.log_metrics({"dpkb_findings": self._logged}, step=trainer.global_step)

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        """Explain the exception, and watch no more."""
        self._watch.finish()
        if isinstance(exception, Exception):
            self._watch.explain(exception)

    def teardown(self, trainer: Any, pl_module: Any, stage: str) -> None:
        """Watch no more."""
        self._watch.finish()
