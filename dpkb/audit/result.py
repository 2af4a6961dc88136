"""The result of an audit."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from dpkb.errors import ExitCode, UsageError
from dpkb.model import Certainty
from dpkb.text import name_file

_T = TypeVar("_T")


@dataclass(frozen=True)
class AuditFinding:
    """One entry's failure, as it was seen in a run."""

    id: str
    certainty: Certainty
    message: str
    fix: str
    # The line in the user's code, if one is to blame; lines count from 1.
    file: str | None = None
    line: int | None = None
    # All processes that saw it: "rank 0", "worker 1".
    seen_in: tuple[str, ...] = ()
    # The optimizer step of the process that reported it, and which process that is; None if it has no number.
    step: int | None = None
    rank: int | None = None
    worker: int | None = None
    evidence: dict[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, str | None, int | None]:
        """What a finding is told once for: its entry and its line."""
        return self.id, self.file, self.line

    def line_in_parentheses(self) -> str:
        """Its line, to be written after the message; nothing if no line is to blame."""
        return f" ({name_file(self.file)}:{self.line})" if self.file else ""

    def as_line(self) -> str:
        """The finding in one line of text."""
        return f"{self.id} {self.certainty}: {self.message}{self.line_in_parentheses()}"

    def where_fields(self) -> dict[str, object]:
        """The JSON fields of its place."""
        return {
            "file": self.file,
            "line": self.line,
            "rank": self.rank,
            "worker": self.worker,
            "seen_in": list(self.seen_in),
            "step": self.step,
        }


@dataclass(frozen=True)
class AuditedProcess:
    """One process of the program that imported torch."""

    pid: int
    python: str
    torch: str
    rank: int | None
    worker: int | None
    counts: dict[str, int]
    # Seconds since torch was imported, and those of them that the audit used; None if it was killed.
    seconds: float | None = None
    audit_seconds: float | None = None


@dataclass(frozen=True)
class AuditedLoader:
    """A DataLoader that gave batches, with the numbers that `dpkb doctor` needs."""

    file: str | None
    line: int | None
    rank: int | None
    workers: int
    # Batches that each worker loads ahead.
    prefetch: int
    # The size of the largest batch that was measured.
    batch_bytes: int
    batch_tensors: int
    # The largest private memory of one of its workers; None if that was not measured.
    worker_bytes: int | None


@dataclass(frozen=True)
class FailedFrame:
    """A frame of an exception's traceback. values: the text of each tensor and layer by its name in the code."""

    file: str
    line: int
    function: str
    # Whether it is the forward() of a layer of torch.
    is_layer: bool
    code: str
    values: dict[str, str]


@dataclass(frozen=True)
class FailedPlace:
    """Where the process that failed first raised its exception. process: "rank 1 worker 0"; "" if it has no number."""

    process: str
    frames: list[FailedFrame]


@dataclass(frozen=True)
class Difference:
    """One thing that differs. what: its name. ids: the entries that explain it."""

    what: str
    message: str
    ids: tuple[str, ...] = ()


@dataclass(frozen=True)
class TraceComparison:
    """What a run has in common with an earlier one. Steps are those of the earlier run, counted from 1."""

    verdict: ExitCode
    # The step at which this run began, and the last one that was compared.
    began: int | None = None
    last: int | None = None
    # The first step that differs, and what differs there, the cause first.
    step: int | None = None
    rank: int | None = None
    differences: tuple[Difference, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class AuditResult:
    """Everything that an audit reports."""

    findings: list[AuditFinding]
    silenced: int
    processes: list[AuditedProcess]
    loaders: list[AuditedLoader]
    # Entry id -> what its check watches.
    watched: dict[str, str]
    # The parts of the program that were not watched: "modules and losses, after torch.compile".
    unwatched_parts: list[str]
    # Checks that raised: a bug of dpkb that did not reach the program. The message, and the traceback.
    failed_checks: list[tuple[str, str]]
    # How many hints are not among the findings, because --hints was not given.
    hints: int = 0
    # None if nothing raised, or no tensor was there.
    failed: FailedPlace | None = None
    # With --same-as: the comparison with the trace of an earlier run.
    same_as: TraceComparison | None = None


def read_report(path: Path, read: Callable[[Any], _T]) -> _T:
    """Apply `read` to the document that an earlier audit wrote with --json. Raises UsageError."""
    try:
        return read(json.loads(path.read_text("utf-8")))
    except OSError as error:
        raise UsageError(
            f"{path}: cannot be read: {error.strerror}; name a file that "
            "`dpkb audit --json FILE -- COMMAND` wrote"
        ) from None
    except (ValueError, TypeError, KeyError, RecursionError):
        raise UsageError(f"{path}: not a report of this dpkb's `dpkb audit --json FILE -- COMMAND`") from None
