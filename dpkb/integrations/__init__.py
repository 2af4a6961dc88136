"""One line in a Trainer: callbacks that watch its training, and print each finding when it is made."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Collection
from contextlib import ExitStack
from typing import Any

from dpkb.audit import AuditReport, watch
from dpkb.audit.result import AuditFinding
from dpkb.audit.watch import print_finding
from dpkb.traceback import install


class TrainingWatch:
    """Watches from start() to finish(), and explains exceptions. A second start() or finish() does nothing.

    metrics: what the trackers get, once there is a finding: the number of findings, and of those of each entry.
    report: that of the last training, None before.
    """

    def __init__(self, ignore: Collection[str] = (), hints: bool = False) -> None:
        """ignore: ids of entries."""
        self._ignore, self._hints = ignore, hints
        self._stack = ExitStack()
        self.metrics: Counter[str] = Counter()
        self.report: AuditReport | None = None
        # Not in start(): a Trainer may fail before it begins to train.
        install()

    def start(self) -> None:
        """Begin to watch."""
        if self.report is None or self.report.result:
            self.metrics = Counter()
            self.report = self._stack.enter_context(watch(self._ignore, self._hints, on_finding=self._tell))

    def finish(self) -> None:
        """Watch no more; the report is complete."""
        self._stack.close()

    def _tell(self, finding: AuditFinding) -> None:
        self.metrics.update(["dpkb_findings", f"dpkb_{finding.id}"])
        print_finding(finding)


def find_caller(kind: type) -> Any:
    """The object of a class that is calling, at any distance; None if there is none.

    A callback gets neither the other callbacks of its Trainer nor the other trackers.
    """
    frame = sys._getframe(1).f_back
    while frame and not issubclass(type(frame.f_locals.get("self")), kind):
        frame = frame.f_back
    return frame and frame.f_locals["self"]
