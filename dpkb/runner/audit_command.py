"""Runs a command with the audit in each of its Python processes."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from io import BytesIO

from dpkb.audit.collect import collect
from dpkb.audit.guest_half import environment_variables
from dpkb.audit.result import AuditFinding, AuditResult
from dpkb.catalogue.load import Catalogue
from dpkb.diagnosis.match import STRONG_SCORE, Signatures, diagnose
from dpkb.model import Certainty
from dpkb.runner.relay import CommandEnd, EndConditions, run_command
from dpkb.runner.scratch import remove_abandoned, scratch_folder


def audit_command(argv: list[str], steps: int | None = None, stalled_after: float | None = None,
                  on_stall: Callable[[int], None] | None = None, ignore: Collection[str] = (),
                  hints: bool = False) -> tuple[CommandEnd, AuditResult]:
    """Run a command as `dpkb run` does, and return how it ended and what the audit saw in it.

    steps: end the command after this many optimizer steps. Raises CannotStart.
    """
    remove_abandoned()
    with scratch_folder() as folder:
        def are_steps_reached() -> bool:
            return any(folder.glob("*.steps-reached"))

        conditions = EndConditions(stalled_after, on_stall, are_steps_reached if steps else None)
        end = run_command(argv, conditions, environment_variables(folder, steps))
        return end, collect(folder, ignore, hints)


def explain_failure(end: CommandEnd, result: AuditResult, catalogue: Catalogue,
                    ignore: Collection[str] = ()) -> AuditResult:
    """The result, with the entry that best explains the output of a failed command, if there is one."""
    if end.on_request or not (end.code or end.stalled):
        return result
    strong = [match for match in diagnose(BytesIO(b"\n".join(end.output)), Signatures(catalogue)).matches
              if match.score >= STRONG_SCORE]
    certainty = Certainty.CERTAIN if len(strong) == 1 else Certainty.LIKELY
    known = {finding.id for finding in result.findings}
    explanations = [
        AuditFinding(match.id, certainty, f"the program ended with: {match.evidence[0].text.strip()}",
                     f"see the entry: dpkb show {match.id}")
        for match in strong[:1] if match.id not in known and match.id not in ignore]
    return replace(result, findings=explanations + result.findings)
