"""Runs a command with the audit in each of its Python processes."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path

from dpkb.audit.collect import collect, collect_failed_place
from dpkb.audit.follow import FindingsFollower
from dpkb.audit.guest_half import environment_variables
from dpkb.audit.result import AuditFinding, AuditResult, FailedPlace
from dpkb.audit.same_as import compare_traces
from dpkb.relay.command import EndConditions, run_command
from dpkb.run_records import CommandEnd
from dpkb.runner.scratch import remove_abandoned, scratch_folder


class CannotCollect(Exception):
    """What the audit saw could not be collected, by an error of dpkb. end: how the command ended."""

    def __init__(self, end: CommandEnd) -> None:
        super().__init__("what the audit saw could not be collected")
        self.end = end


def audit_command(
    argv: list[str],
    steps: int | None = None,
    stalled_after: float | None = None,
    on_stall: Callable[[int], str | None] | None = None,
    ignore: Collection[str] = (),
    hints: bool = False,
    tell: Callable[[AuditFinding], None] = lambda finding: None,
    tell_after: float = 0,
    trace: Path | None = None,
    earlier_trace: Path | None = None,
) -> tuple[CommandEnd, AuditResult]:
    """Run a command as `dpkb run` does, and return how it ended and what the audit saw in it.

    steps: end the command after this many optimizer steps. tell: called with each finding that is made while the
    command runs, from this many seconds on. trace: a file for what each step did, to be compared with that of an
    earlier run. Raises CannotStart and CannotCollect.
    """
    remove_abandoned()
    with scratch_folder() as folder:
        follower = FindingsFollower(folder, tell, ignore, hints, tell_after)

        def are_steps_reached() -> bool:
            follower.look()
            return bool(steps) and any(folder.glob("*.steps-reached"))

        conditions = EndConditions(stalled_after, on_stall, are_steps_reached)
        if earlier_trace and not trace:
            trace = folder / "steps"
        end = run_command(argv, conditions, environment_variables(folder, steps, trace=trace))
        try:
            result = collect(folder, ignore, hints)
            if earlier_trace and trace and result.processes:
                asked = any("resume" in word for word in argv)
                result = replace(result, same_as=compare_traces(earlier_trace, trace, asked))
            return end, result
        except Exception as error:
            raise CannotCollect(end) from error


def run_noting_failures(argv: list[str], conditions: EndConditions) -> tuple[CommandEnd, FailedPlace | None]:
    """Run a command, and return how it ended and the tensors where it failed first. Raises CannotStart."""
    with scratch_folder() as folder:
        end = run_command(argv, conditions, environment_variables(folder, None, failures_only=True))
        return end, collect_failed_place(folder)
