"""For the Trainer of transformers, and those of trl: `Trainer(…, callbacks=[DpkbCallback()])`."""

from __future__ import annotations

from typing import Any

from transformers import TrainerCallback
from transformers.trainer_callback import CallbackHandler

from dpkb.integrations import TrainingWatch, find_caller


class DpkbCallback(TrainingWatch, TrainerCallback):
    """Watches each train() of a Trainer, prints each finding once, when it is made, and explains an exception.

    The number of findings is in the logs of the Trainer, and so of its trackers, as dpkb_findings, and of each entry as
    dpkb_O14. A train() that raises is watched until the next one, or until close(); the exception is explained below
    its traceback, if nothing catches it.
    """

    close = TrainingWatch.finish

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Begin to watch."""
        self.finish()
        self.start()
        if handler := find_caller(CallbackHandler):
            # The trackers of report_to would write the logs before on_log() adds to them.
            handler.callbacks.sort(key=lambda callback: callback is not self)

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Watch no more."""
        self.finish()

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **kwargs: Any) -> None:
        """Write the numbers of findings into the logs of the Trainer."""
        if logs is not None:
            logs.update(self.metrics)
