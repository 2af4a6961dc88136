"""Two audits of a program, before and after a change: what is gone, what is left, what is new."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from dpkb.audit.result import AuditResult
from dpkb.errors import UsageError


@dataclass(frozen=True)
class Comparison:
    """The ids of entries that only the earlier audit found, that both found, and that only this one found."""

    gone: tuple[str, ...]
    left: tuple[str, ...]
    new: tuple[str, ...]


def read_ids(path: Path) -> frozenset[str]:
    """The entries that an earlier audit found, from what --json wrote. Raises UsageError."""
    try:
        document = json.loads(path.read_text("utf-8"))
        return frozenset(str(finding["id"]) for finding in document["findings"])
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    except (ValueError, TypeError, KeyError):
        raise UsageError(f"{path}: is no report of `dpkb audit --json {path} -- COMMAND`") from None


def compare(before: frozenset[str], result: AuditResult) -> Comparison:
    """What has changed from the earlier audit to this one. A failure may have moved to another line."""
    now = {finding.id for finding in result.findings}
    return Comparison(tuple(sorted(before - now)), tuple(sorted(before & now)), tuple(sorted(now - before)))
