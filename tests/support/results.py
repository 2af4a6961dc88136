"""Makes results of runs."""

from __future__ import annotations

from typing import Any

from dpkb.model import Outcome
from dpkb.run_records import Environment, RunResult, Verdict

# The keys of a result and of its environment in JSON.
RESULT_KEYS = {
    "id",
    "script",
    "claim",
    "outcome",
    "verdict",
    "affected",
    "expected",
    "seen",
    "observed",
    "seconds",
    "stderr",
    "limit",
    "packages",
}
ENVIRONMENT_KEYS = {"executable", "python", "torch", "torchvision", "os", "device", "packages"}
HERE = Environment("/usr/bin/python", "3.11.7", "2.4.1+cu121", None, "linux", "cpu")


def result(script: str = "broken", verdict: Verdict = Verdict.CONFIRMED, **more: Any) -> RunResult:
    """The result of a confirmed run of ZZ1/broken. more: other values of its fields."""
    fields: dict[str, Any] = {
        "id": "ZZ1",
        "claim": "it fails",
        "outcome": Outcome.WRONG_RESULT,
        "expected": "a wrong result",
        "seen": "a wrong result",
        "affected": True,
        "observed": {"healthy": False},
        "seconds": 1.25,
    }
    return RunResult(script=script, verdict=verdict, **{**fields, **more})
