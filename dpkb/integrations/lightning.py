"""For Lightning: `Trainer(…, callbacks=[DpkbCallback()])`, of lightning or of pytorch_lightning."""

from __future__ import annotations

import sys
from collections.abc import Collection
from typing import Any

from dpkb.audit import AuditReport
from dpkb.integrations import TrainingWatch
from dpkb.traceback import find_shell, install, print_explanation

# The program has imported one of them already; a Trainer takes only callbacks of its own package.
if "lightning" in sys.modules or "pytorch_lightning" not in sys.modules:
    from lightning.pytorch import Callback
else:
    from pytorch_lightning import Callback  # type: ignore[assignment]


class DpkbCallback(Callback):
    """Watches each fit(), prints each finding once, when it is made, and explains an exception.

    ignore: ids of entries. The loggers get the number of findings as dpkb_findings, that of each entry as dpkb_O14.
    """

    def __init__(self, ignore: Collection[str] = (), hints: bool = False) -> None:
        self._watch = TrainingWatch(ignore, hints)
        self._logged: dict[str, int] = {}

    @property
    def report(self) -> AuditReport | None:
        """The report of the last fit(); None before the first."""
        return self._watch.report

    def setup(self, trainer: Any, pl_module: Any, stage: str) -> None:
        """Begin to watch, before optimizers and loaders exist."""
        if stage == "fit":
            self._watch.start()
            install()

    def on_train_batch_end(self, trainer: Any, *args: Any, **kwargs: Any) -> None:
        """Tell the loggers of new findings."""
        if self._watch.metrics != self._logged:
            self._logged = dict(self._watch.metrics)
            for logger in trainer.loggers if self._logged else ():
                logger.log_metrics(self._logged, step=trainer.global_step)

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        """Watch no more, and explain the exception."""
        self.teardown(trainer, pl_module, "fit")
        if not find_shell():  # Lightning may end this process before Python shows the exception
            print_explanation(exception, with_traceback=True)

    def teardown(self, trainer: Any, pl_module: Any, stage: str) -> None:
        """Watch no more."""
        self._watch.finish()
        self.on_train_batch_end(trainer)
