"""Why an audited command failed: the entry that explains its output."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from io import BytesIO

from dpkb.audit.result import AuditFinding, AuditResult
from dpkb.catalogue.load import Catalogue
from dpkb.catalogue.owners import STRONG_SCORE
from dpkb.diagnosis.conclusion import STACK_SCORE, Match, diagnose
from dpkb.diagnosis.match import MatchedLine, Signatures
from dpkb.model import Certainty
from dpkb.run_records import CommandEnd

_TRACEBACK = b"Traceback (most recent call last)"
# How Python prints a warning, and the line of its source that follows.
_WARNING = re.compile(r":\d+: \w*Warning: |^\s*warnings\.warn\(")


def explain_failure(
    end: CommandEnd, result: AuditResult, catalogue: Catalogue, ignore: Collection[str] = ()
) -> AuditResult:
    """The result, with the entry that best explains the output of a failed command, if there is one."""
    if end.on_request or not (end.code or end.stalled):
        return result
    output = b"\n".join(end.output)
    has_error = _TRACEBACK in output or end.stalled or end.code < 0
    diagnosis = diagnose(BytesIO(output), Signatures(catalogue))
    least = STACK_SCORE if diagnosis.stacks else STRONG_SCORE
    strong = [
        (match, evidence)
        for match in diagnosis.matches
        if match.score >= least and (evidence := _find_last_line(match, has_error))
    ]
    known = {finding.id for finding in result.findings}
    return replace(
        result,
        findings=[
            _explanation(match.id, evidence, output, len(strong) == 1, bool(diagnosis.stacks))
            for match, evidence in strong[:1]
            if match.id not in known and match.id not in ignore
        ]
        + result.findings,
    )


def _find_last_line(match: Match, has_error: bool) -> MatchedLine | None:
    """The last line of the output that points to an entry.

    has_error: whether the program failed for a known reason. Then no warning is the reason, because a program
    goes on after a warning.
    """
    lines = [line for line in match.evidence if not (has_error and _WARNING.search(line.text))]
    return lines[-1] if lines else None


def _explanation(
    entry_id: str, evidence: MatchedLine, output: bytes, is_only: bool, is_stack: bool
) -> AuditFinding:
    """The finding that a line of the output points to. It is certain only for a line of the traceback."""
    before_traceback, traceback, _ = output.partition(_TRACEBACK)
    is_end = bool(traceback) and evidence.line > before_traceback.count(b"\n")
    start = "the program ended with" if is_end else "the program failed after it wrote"
    start = "the program hung" if is_stack else start
    return AuditFinding(
        entry_id,
        Certainty.CERTAIN if is_end and is_only else Certainty.LIKELY,
        f"{start}: {evidence.text.strip()}",
        f"see the entry: dpkb show {entry_id}",
    )
