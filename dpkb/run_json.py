"""Runs and environments in the shapes that others may rely on."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from dpkb.entry import Environment, Outcome, Result

_SAYS_WHY = (Outcome.RAISED, Outcome.HUNG, Outcome.KILLED, Outcome.INVALID)


def result(made: Result) -> dict[str, Any]:
    """One run in the shape that others may rely on."""
    return {
        "id": made.id, "script": made.script, "claim": made.claim,
        "outcome": made.outcome.value, "verdict": made.verdict.value,
        "affected": made.affected, "expected": made.expected, "seen": made.seen,
        "observed": made.observed, "seconds": made.seconds,
        # What a user would have on screen; a wrong result has nothing to say there.
        "stderr": made.log if made.outcome in _SAYS_WHY else "",
    }


def environment(found: Environment) -> dict[str, Any]:
    """The environment in the shape that others may rely on."""
    known = asdict(found)
    return {key: known[key] for key in ("executable", "python", "torch", "torchvision", "os", "device")}
