"""The results of one `dpkb verify`, and counts of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dpkb.run_records import Environment, RunResult, Verdict


@dataclass(frozen=True)
class VerifyRun:
    """All results in one environment. seconds: the time for all, with `jobs` scripts at once."""

    environment: Environment
    results: tuple[RunResult, ...]
    seconds: float
    jobs: int


@dataclass(frozen=True)
class VerifyReport:
    """All results of one `dpkb verify`. not_kept: a message for each file that could not be written."""

    runs: tuple[VerifyRun, ...]
    not_kept: tuple[str, ...] = ()

    @property
    def results(self) -> list[RunResult]:
        """The results of all environments."""
        return [result for run in self.runs for result in run.results]


def count_verdicts(results: Sequence[RunResult]) -> dict[str, int]:
    """How many results have each verdict."""
    return {verdict.value: sum(r.verdict is verdict for r in results) for verdict in Verdict}


def count_reproduced_pairs(results: Sequence[RunResult]) -> tuple[int, int]:
    """(entries whose pair was confirmed in all runs, entries whose broken.py and fixed.py both ran)."""
    confirmed: dict[tuple[str, str], bool] = {}
    for result in results:
        key = (result.id, result.script)
        confirmed[key] = confirmed.get(key, True) and result.verdict is Verdict.CONFIRMED
    pairs = [entry for entry, name in confirmed if name == "broken" and (entry, "fixed") in confirmed]
    return sum(confirmed[entry, "broken"] and confirmed[entry, "fixed"] for entry in pairs), len(pairs)


def find_disagreements(results: Sequence[RunResult]) -> list[tuple[str, str, set[str]]]:
    """(entry, script, verdicts) of each script whose runs have different verdicts."""
    verdicts: dict[tuple[str, str], set[str]] = {}
    for result in results:
        verdicts.setdefault((result.id, result.script), set()).add(result.verdict.value)
    return [(entry, name, seen) for (entry, name), seen in verdicts.items() if len(seen) > 1]


def is_proven(results: Sequence[RunResult]) -> bool:
    """Whether at least one run was confirmed and none was refuted or inconclusive."""
    counts = count_verdicts(results)
    return counts["confirmed"] > 0 and not counts["refuted"] and not counts["inconclusive"]
