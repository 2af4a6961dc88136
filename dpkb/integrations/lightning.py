"""For Lightning: `Trainer(…, callbacks=[DpkbCallback()])`, of lightning or of pytorch_lightning."""

from __future__ import annotations

import sys
from typing import Any

from dpkb.integrations import TrainingWatch
from dpkb.traceback import find_shell, print_explanation

# The program has imported one of them already; a Trainer takes only callbacks of its own package.
if "lightning" in sys.modules or "pytorch_lightning" not in sys.modules:
    from lightning.pytorch import Callback
else:
    from pytorch_lightning import Callback  # type: ignore[assignment]


class DpkbCallback(TrainingWatch, Callback):
    """Watches each fit(), prints each finding once, when it is made, and explains an exception.

    The loggers get the number of findings as dpkb_findings, that of each entry as dpkb_O14.
    """

    # How many findings the loggers know.
    _logged = 0

    def setup(self, trainer: Any, pl_module: Any, stage: str) -> None:
        """Begin to watch, before optimizers and loaders exist."""
        if stage == "fit":
            self.start()

    def on_train_batch_end(self, trainer: Any, *args: Any, **kwargs: Any) -> None:
        """Tell the loggers of new findings."""
        number = self.metrics["dpkb_findings"]
        if number != self._logged:
            self._logged = number
            for logger in trainer.loggers if number else ():
                logger.log_metrics(dict(self.metrics), step=trainer.global_step)

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        """Watch no more, and explain the exception."""
        self.teardown(trainer, pl_module, "fit")
        if not find_shell():  # Lightning may end this process before Python shows the exception
            print_explanation(exception, with_traceback=True)

    def teardown(self, trainer: Any, pl_module: Any, stage: str) -> None:
        """Watch no more."""
        self.finish()
        self.on_train_batch_end(trainer)
