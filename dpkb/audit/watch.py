"""The audit as a library: watch the training loop in a block of this process."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from html import escape
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dpkb.audit.follow import FindingsFile
    from dpkb.audit.result import AuditFinding, AuditResult


class AuditReport:
    """The result of watching a block; complete when the block has ended. It prints as text."""

    def __init__(self) -> None:
        self.result: AuditResult | None = None

    @property
    def findings(self) -> list[AuditFinding]:
        """The failures that the block showed, surest first."""
        return self.result.findings if self.result else []

    def __str__(self) -> str:
        if self.result is None:
            return "dpkb audit: the block has not ended"
        from dpkb.text import count_of

        steps = max(
            (process.counts.get("optimizer steps", 0) for process in self.result.processes), default=0
        )
        lines = [
            f"{finding.as_line()}\n    fix: {finding.fix}\n    more: dpkb show {finding.id}"
            for finding in self.findings
        ]
        return "\n".join(lines or [f"dpkb audit: nothing found in {count_of(steps, 'optimizer step')}"])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

    def raise_for_findings(self) -> None:
        """Raise AssertionError with the report if there is a finding."""
        if self.findings:
            raise AssertionError(str(self))


def print_finding(finding: AuditFinding) -> None:
    """Print a finding as a line on standard error."""
    with suppress(OSError, ValueError):  # nobody reads it, or it is closed
        print(f"dpkb audit: {finding.as_line()}; dpkb show {finding.id}", file=sys.stderr, flush=True)


@contextmanager
def watch(
    ignore: Collection[str] = (),
    hints: bool = False,
    *,
    on_finding: Callable[[AuditFinding], object] | None = print_finding,
    json_lines: str | os.PathLike[str] | None = None,
) -> Iterator[AuditReport]:
    """Watch the training loop in this block, its workers and ranks included.

    on_finding: called once with each finding, as soon as it is made. json_lines: a file to which each is appended as
    a line of JSON; in rank 1, FILE.rank1. Functions of torch that were imported by name before the block are not seen.
    Raises UnmetNeed without torch, and OSError if no file can be written there.
    """
    from dpkb.errors import UnmetNeed

    if find_spec("torch") is None:
        raise UnmetNeed("dpkb.audit.watch() needs torch in this Python")
    import_module("torch")  # the block may be the first that imports it
    # Not at the top: each pytest in this environment imports this module, with the plugin beside it.
    from dpkb.audit.collect import collect
    from dpkb.audit.follow import FindingsFile, FindingsFollower
    from dpkb.audit.guest_half import environment_variables, import_guest

    file = FindingsFile(Path(json_lines), by_rank=True) if json_lines else None

    def tell(finding: AuditFinding) -> None:
        if file:
            file.write(finding)
        if on_finding:
            on_finding(finding)

    report = AuditReport()
    with (
        tempfile.TemporaryDirectory(prefix="dpkb-audit-", ignore_cleanup_errors=True) as folder,
        _environment(environment_variables(Path(folder), None)),
    ):
        follower = FindingsFollower(Path(folder), tell, ignore, hints)
        audit, attachment = import_guest("start").attach(folder)
        audit.journal.on_finding = follower.read_new
        try:
            yield report
        finally:
            audit.end()
            attachment.detach()
            report.result = collect(Path(folder), ignore, hints)
            follower.tell_of(report.findings)
            if file:
                _finish(file, json_lines)


def _finish(file: FindingsFile, name: str | os.PathLike[str] | None) -> None:
    """Write the findings that a full disk has refused, or say that they are missing."""
    try:
        file.flush()
    except OSError as error:
        with suppress(OSError, ValueError):
            print(
                f"dpkb audit: {error.filename or name}: cannot be written: {error.strerror}", file=sys.stderr
            )


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
