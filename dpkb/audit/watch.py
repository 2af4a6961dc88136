"""The audit as a library: watch the training loop in a block of this process."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dpkb.audit.result import AuditFinding, AuditResult


class AuditReport:
    """The result of watching a block; complete when the block has ended."""

    def __init__(self) -> None:
        self.result: AuditResult | None = None

    @property
    def findings(self) -> list[AuditFinding]:
        """The failures that the block showed, surest first."""
        return self.result.findings if self.result else []


@contextmanager
def watch(ignore: Collection[str] = (), hints: bool = False) -> Iterator[AuditReport]:
    """Watch the training loop in this block, its workers and ranks included. torch must be installed.

    Functions of torch that were imported by name before the block are not seen.
    """
    # Not at the top: each pytest in this environment imports this module, with the plugin beside it.
    from dpkb.audit.collect import collect
    from dpkb.audit.guest_half import environment_variables, import_guest

    report = AuditReport()
    with (
        tempfile.TemporaryDirectory(prefix="dpkb-audit-", ignore_cleanup_errors=True) as folder,
        _environment(environment_variables(Path(folder), None)),
    ):
        audit, attachment = import_guest("start").attach(folder)
        try:
            yield report
        finally:
            audit.end()
            attachment.detach()
            report.result = collect(Path(folder), ignore, hints)


@contextmanager
def _environment(added: dict[str, str]) -> Iterator[None]:
    """Set environment variables in a block."""
    former = {name: os.environ.get(name) for name in added}
    os.environ.update(added)
    try:
        yield
    finally:
        for name, value in former.items():
            if value is None:
                os.environ.pop(name, None)  # the block may have removed it
            else:
                os.environ[name] = value
