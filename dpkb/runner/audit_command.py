"""Runs a command with the audit in each of its Python processes."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import replace
from io import BytesIO

from dpkb.audit.collect import collect
from dpkb.audit.guest_half import environment_variables
from dpkb.audit.result import AuditFinding, AuditResult
from dpkb.catalogue.load import Catalogue
from dpkb.diagnosis.match import STRONG_SCORE, Match, MatchedLine, Signatures, diagnose
from dpkb.model import Certainty
from dpkb.runner.relay import CommandEnd, EndConditions, run_command
from dpkb.runner.scratch import remove_abandoned, scratch_folder

_TRACEBACK = b"Traceback (most recent call last)"
# How Python prints a warning, and the line of its source that follows.
_WARNING = re.compile(r":\d+: \w*Warning: |^\s*warnings\.warn\(")


class CannotCollect(Exception):
    """What the audit saw could not be collected, by an error of dpkb. end: how the command ended."""

    def __init__(self, end: CommandEnd) -> None:
        super().__init__("what the audit saw could not be collected")
        self.end = end


def audit_command(argv: list[str], steps: int | None = None, stalled_after: float | None = None,
                  on_stall: Callable[[int], None] | None = None, ignore: Collection[str] = (),
                  hints: bool = False) -> tuple[CommandEnd, AuditResult]:
    """Run a command as `dpkb run` does, and return how it ended and what the audit saw in it.

    steps: end the command after this many optimizer steps. Raises CannotStart and CannotCollect.
    """
    remove_abandoned()
    with scratch_folder() as folder:
        def are_steps_reached() -> bool:
            return any(folder.glob("*.steps-reached"))

        conditions = EndConditions(stalled_after, on_stall, are_steps_reached if steps else None)
        end = run_command(argv, conditions, environment_variables(folder, steps))
        try:
            return end, collect(folder, ignore, hints)
        except Exception as error:
            raise CannotCollect(end) from error


def explain_failure(end: CommandEnd, result: AuditResult, catalogue: Catalogue,
                    ignore: Collection[str] = ()) -> AuditResult:
    """The result, with the entry that best explains the output of a failed command, if there is one."""
    if end.on_request or not (end.code or end.stalled):
        return result
    output = b"\n".join(end.output)
    has_error = _TRACEBACK in output or end.stalled or end.code < 0
    strong = [(match, evidence)
              for match in diagnose(BytesIO(output), Signatures(catalogue)).matches
              if match.score >= STRONG_SCORE and (evidence := _find_last_line(match, has_error))]
    known = {finding.id for finding in result.findings}
    return replace(result, findings=[
        _explanation(match.id, evidence, output, len(strong) == 1) for match, evidence in strong[:1]
        if match.id not in known and match.id not in ignore] + result.findings)


def _find_last_line(match: Match, has_error: bool) -> MatchedLine | None:
    """The last line of the output that points to an entry.

    has_error: whether the program failed for a known reason. Then no warning is the reason, because a program
    goes on after a warning.
    """
    lines = [line for line in match.evidence if not (has_error and _WARNING.search(line.text))]
    return lines[-1] if lines else None


def _explanation(entry_id: str, evidence: MatchedLine, output: bytes, is_only: bool) -> AuditFinding:
    """The finding that a line of the output points to. It is certain only for a line of the traceback."""
    before_traceback, traceback, _ = output.partition(_TRACEBACK)
    is_end = bool(traceback) and evidence.line > before_traceback.count(b"\n")
    start = "the program ended with" if is_end else "the program failed after it wrote"
    return AuditFinding(
        entry_id, Certainty.CERTAIN if is_end and is_only else Certainty.LIKELY,
        f"{start}: {evidence.text.strip()}", f"see the entry: dpkb show {entry_id}")
