"""What the processes of an audited program saw, and which entries it shows.

In a notebook or a test: `with dpkb.audit.watch() as report: train()`, then `report.findings`.
"""

from dpkb.audit.watch import AuditReport, watch

__all__ = ["AuditReport", "watch"]
