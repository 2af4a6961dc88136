"""The results of many runs, counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dpkb.run_records import Environment, Result, Verdict


@dataclass(frozen=True)
class VerifyRun:
    """All results in one environment. seconds: from the first start to the last end, `jobs` at once."""

    environment: Environment
    results: tuple[Result, ...]
    seconds: float
    jobs: int


@dataclass(frozen=True)
class VerifyReport:
    """Everything that one `dpkb verify` has found out. not_kept: why something could not be written."""

    runs: tuple[VerifyRun, ...]
    not_kept: tuple[str, ...] = ()

    @property
    def results(self) -> list[Result]:
        """The results of all environments."""
        return [result for run in self.runs for result in run.results]


def verdict_counts(results: Sequence[Result]) -> dict[str, int]:
    """How many results have each verdict."""
    return {verdict.value: sum(r.verdict is verdict for r in results) for verdict in Verdict}


def reproduced_pairs(results: Sequence[Result]) -> tuple[int, int]:
    """How many entries showed both the failure and the fix, and of how many the whole pair was run."""
    confirmed: dict[tuple[str, str], bool] = {}
    for result in results:
        key = (result.id, result.script)
        confirmed[key] = confirmed.get(key, True) and result.verdict is Verdict.CONFIRMED
    pairs = [i for i, name in confirmed if name == "broken" and (i, "fixed") in confirmed]
    return sum(confirmed[i, "broken"] and confirmed[i, "fixed"] for i in pairs), len(pairs)


def disagreements(results: Sequence[Result]) -> list[tuple[str, str, set[str]]]:
    """Scripts whose repeated runs did not all get the same verdict: entry, script and verdicts."""
    verdicts: dict[tuple[str, str], set[str]] = {}
    for result in results:
        verdicts.setdefault((result.id, result.script), set()).add(result.verdict.value)
    return [(entry, name, seen) for (entry, name), seen in verdicts.items() if len(seen) > 1]


def is_proven(results: Sequence[Result]) -> bool:
    """Whether something was confirmed and nothing contradicts it. Skipped runs alone prove nothing."""
    counts = verdict_counts(results)
    return counts["confirmed"] > 0 and not counts["refuted"] and not counts["inconclusive"]
