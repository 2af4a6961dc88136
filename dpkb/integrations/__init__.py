"""One line in a Trainer: callbacks that watch its training, and print each finding when it is made."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection
from contextlib import ExitStack

from dpkb.audit import AuditReport, watch
from dpkb.audit.result import AuditFinding
from dpkb.audit.watch import print_finding


class TrainingWatch:
    """Watches from start() to finish(). A second start() or finish() does nothing.

    count: the findings so far. report: that of the last training, None before.
    """

    def __init__(
        self,
        ignore: Collection[str] = (),
        hints: bool = False,
        on_finding: Callable[[AuditFinding], object] = print_finding,
    ) -> None:
        self._ignore, self._hints, self._on_finding = ignore, hints, on_finding
        self._stack = ExitStack()
        self.count = 0
        self.report: AuditReport | None = None

    def start(self) -> None:
        """Begin to watch."""
        if self.report is None or self.report.result:
            self.count = 0
            self.report = self._stack.enter_context(watch(self._ignore, self._hints, on_finding=self._tell))

    def finish(self) -> None:
        """Watch no more; the report is complete."""
        self._stack.close()

    def explain(self, error: BaseException) -> None:
        """Print what explains an exception, which is still raised."""
        from dpkb.traceback import explain

        try:
            if text := explain(error):
                print(text, file=sys.stderr, flush=True)
        except Exception:
            pass  # the framework shows the exception

    def _tell(self, finding: AuditFinding) -> None:
        self.count += 1
        self._on_finding(finding)
