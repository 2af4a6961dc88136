"""Two audits of a program, before and after a change: what is gone, what remains, and what is new."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dpkb.audit.result import AuditResult, read_report
from dpkb.model import Certainty


@dataclass(frozen=True)
class Comparison:
    """The ids of entries that only the earlier audit found, that both found, and that only this one found."""

    gone: tuple[str, ...]
    remaining: tuple[str, ...]
    new: tuple[str, ...]


def read_ids(path: Path, hints: bool) -> frozenset[str]:
    """The entries that an earlier audit found, hints only if they count now too. Raises UsageError."""
    return read_report(
        path,
        lambda report: frozenset(
            str(finding["id"])
            for finding in report["findings"]
            if hints or finding["certainty"] != Certainty.HINT.value
        ),
    )


def compare(before: frozenset[str], result: AuditResult) -> Comparison:
    """The differences between the earlier audit and this one. A failure may have moved to another line."""
    now = {finding.id for finding in result.findings}
    return Comparison(tuple(sorted(before - now)), tuple(sorted(before & now)), tuple(sorted(now - before)))
