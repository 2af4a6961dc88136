"""For accelerate: `Accelerator(log_with=DpkbTracker())`, then init_trackers() and end_training()."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from accelerate.tracking import GeneralTracker

from dpkb.audit import AuditReport
from dpkb.integrations import TrainingWatch


class DpkbTracker(GeneralTracker):  # type: ignore[misc]
    """Watches from its creation to end_training(), and prints each finding once, when it is made.

    ignore: ids of entries.
    """

    name = "dpkb"
    requires_logging_directory = False
    main_process_only = False

    def __init__(self, ignore: Collection[str] = (), hints: bool = False) -> None:
        super().__init__()
        self._watch = TrainingWatch(ignore, hints)
        self._watch.start()

    @property
    def tracker(self) -> AuditReport | None:
        """The report; complete after end_training()."""
        return self._watch.report

    def store_init_configuration(self, values: Any) -> None:
        """The configuration is not needed."""

    def log(self, values: Any, step: int | None = None, **kwargs: Any) -> None:
        """Values are not needed."""

    def finish(self) -> None:
        """Watch no more."""
        self._watch.finish()
