"""The result of one run as JSON, and its verdict in words."""

from __future__ import annotations

from dataclasses import asdict

from dpkb.model import Outcome
from dpkb.run_records import Environment, RunResult, Verdict

STYLES = {
    Verdict.CONFIRMED: "green",
    Verdict.REFUTED: "bold red",
    Verdict.INCONCLUSIVE: "yellow",
    Verdict.SKIPPED: "yellow",
}
# Outcomes that stderr explains. After a wrong result, it has nothing useful.
_EXPLAINED_BY_STDERR = (Outcome.RAISED, Outcome.HUNG, Outcome.KILLED, Outcome.INVALID)
_ENVIRONMENT_FIELDS = ("executable", "python", "torch", "torchvision", "os", "device", "packages")


def result_fields(result: RunResult) -> dict[str, object]:
    """The JSON fields of one run."""
    return {
        "id": result.id,
        "script": result.script,
        "claim": result.claim,
        "outcome": result.outcome.value,
        "verdict": result.verdict.value,
        "limit": result.limit and result.limit.value,
        "affected": result.affected,
        "expected": result.expected,
        "seen": result.seen,
        "observed": result.observed,
        "seconds": result.seconds,
        "packages": result.packages,
        "stderr": result.log if result.outcome in _EXPLAINED_BY_STDERR else "",
    }


def environment_fields(environment: Environment) -> dict[str, object]:
    """The JSON fields of an environment."""
    fields = asdict(environment)
    return {key: fields[key] for key in _ENVIRONMENT_FIELDS}


def describe_verdict(result: RunResult) -> str:
    """The verdict in words; an opposite outcome confirms the claim where the version is not affected."""
    unaffected = result.verdict is Verdict.CONFIRMED and not result.affected
    return "confirmed (not affected here)" if unaffected else result.verdict.value
