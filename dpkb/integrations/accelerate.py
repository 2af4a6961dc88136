"""For accelerate: `Accelerator(log_with=DpkbTracker())`, then init_trackers() and end_training()."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from accelerate import Accelerator
from accelerate.tracking import GeneralTracker

from dpkb.audit import AuditReport
from dpkb.integrations import TrainingWatch, find_caller


class DpkbTracker(TrainingWatch, GeneralTracker):  # type: ignore[misc]
    """Watches from its creation to end_training(), prints each finding once, when it is made, and explains an exception.

    With each log(), the number of findings goes to the other trackers as dpkb_findings, that of each entry as
    dpkb_O14. An exception is explained below its traceback, if nothing catches it.
    """

    name = "dpkb"
    requires_logging_directory = False
    main_process_only = False

    def __init__(self, ignore: Collection[str] = (), hints: bool = False) -> None:
        super().__init__(ignore, hints)
        self.start()

    @property
    def tracker(self) -> AuditReport | None:
        """The report; complete after end_training()."""
        return self.report

    def store_init_configuration(self, values: Any) -> None:
        """The configuration is not needed."""

    def log(self, values: Any, step: int | None = None, **kwargs: Any) -> None:
        """Give the other trackers the numbers of findings. The values are not needed."""
        metrics = dict(self.metrics)
        for tracker in getattr(find_caller(Accelerator), "trackers", ()) if metrics else ():
            if tracker is not self:
                tracker.log(metrics, step=step)
