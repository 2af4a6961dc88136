"""The findings of an audit, from the journals of the processes of a program.

In a notebook or a test: `with dpkb.audit.watch() as report: train()`, then `report.findings`.
"""

from dpkb.audit.watch import AuditReport, watch

__all__ = ["AuditReport", "watch"]
