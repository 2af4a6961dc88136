"""O34: the formula of the loss has no finite value or derivative."""

from __future__ import annotations

from dpkb_audit.check import LIKELY
from dpkb_audit.checks._loss_causes import CauseCheck


class O34(CauseCheck):
    cpu_only = True
    description = "the weights and the operations' inputs when a loss is first not finite"
    fix = "use the stable form of that operation, or add a small eps: dpkb show O34 has a table"
    cause_kind = "formula"

    def report_cause(self, clause: str) -> None:
        self.report(LIKELY, f"the loss is not finite: {clause}")
