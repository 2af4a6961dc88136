"""Finds the minor release of torch in which the outcome of a script changed, by a binary search.

    python -m tools.bisect_torch ID [--script NAME] [--first VERSION] [--last VERSION] [--kb DIR]

Each torch is in an environment that uv creates. If a run proves nothing, for example because it timed out, a release
beside that one is tried. The scripts of a catalogue that is named with --kb run without a question.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from dpkb.catalogue.load import load
from dpkb.errors import DpkbError, UnmetNeed, UnusableTorch, UsageError
from dpkb.model import Reproducer
from dpkb.paths import find_catalogue_folders
from dpkb.run_records import Verdict
from dpkb.runner import torch_envs
from dpkb.runner.session import open_session
from dpkb.runner.verify import reproduce
from dpkb.versions.history import load_history

# The oldest torch that the catalogue covers.
_FIRST = "1.8"


@dataclass(frozen=True)
class OutcomeChange:
    """The runs of a search as (version, outcome), and the last version before and the first after the change.

    runs: without those that prove nothing. before, after: None if the outcome did not change.
    """

    runs: list[tuple[str, str]]
    before: str | None = None
    after: str | None = None


@cache
def list_minor_releases() -> tuple[str, ...]:
    """Every minor release of torch that the catalogue covers and the history of the libraries knows."""
    history = load_history("torch")
    minors = [release.version.rpartition(".")[0] for release in (history.releases if history else ())]
    return tuple(minors[minors.index(_FIRST) :])


def find_change(
    outcome_on: Callable[[str], str | None], first: str | None = None, last: str | None = None
) -> OutcomeChange:
    """Find the minor release in which an outcome changed, from `first` to `last` (default: all).

    outcome_on: runs the script on a version and returns its outcome; None if that proves nothing: then a
    version beside it is tried. Assumes at most one change, so nothing is run between two versions with the
    same outcome. Raises UsageError for a version that is no minor release, and if `first` is not older than
    `last`; UnmetNeed if the versions beside prove nothing either.
    """
    minors = list_minor_releases()
    for version in (first, last):
        if version is not None and version not in minors:
            raise UsageError(f"{version} is not a minor release of torch from {minors[0]} to {minors[-1]}")
    low, high = minors.index(first or minors[0]), minors.index(last or minors[-1])
    if low > high:
        raise UsageError(f"torch {minors[low]} is newer than {minors[high]}: swap --first and --last")
    if low == high:
        raise UsageError(f"torch {minors[low]} is both the first and the last: name two releases")
    seen: dict[int, str | None] = {}

    def find_first_outcome(indices: Sequence[int]) -> int:
        for index in indices:
            if index not in seen:
                seen[index] = outcome_on(minors[index])
            if seen[index] is not None:
                return index
        raise UnmetNeed(_describe_gap([minors[index] for index in indices], _list_runs(minors, seen)))

    low = find_first_outcome(range(low, high)[:2])
    high = find_first_outcome(range(high, low, -1)[:2])
    while seen[low] != seen[high] and high - low > 1:
        middle = (low + high) // 2
        nearest = (middle, middle + 1, middle - 1)
        middle = find_first_outcome([index for index in nearest if low < index < high])
        # A third outcome is a change too. If there are several changes, the search finds the first.
        low, high = (middle, high) if seen[middle] == seen[low] else (low, middle)
    if seen[low] == seen[high]:
        return OutcomeChange(_list_runs(minors, seen))
    return OutcomeChange(_list_runs(minors, seen), minors[low], minors[high])


def _list_runs(minors: Sequence[str], seen: dict[int, str | None]) -> list[tuple[str, str]]:
    """The runs that prove something, oldest version first."""
    return [(minors[index], outcome) for index, outcome in sorted(seen.items()) if outcome is not None]


def _describe_gap(versions: list[str], runs: list[tuple[str, str]]) -> str:
    so_far = ", ".join(f"torch {version}: {outcome}" for version, outcome in runs) or "none"
    return (
        f"torch {', '.join(versions)}: no run proves anything, so the change cannot be found. "
        f"Runs that do: {so_far}"
    )


def find_outcome(reproducer: Reproducer, version: str) -> str | None:
    """The outcome of a script on a version of torch; None if it proves nothing."""
    try:
        python = torch_envs.ensure_torch_python(version, print)
        with open_session(python, "cpu", 120) as session:
            result = reproduce(reproducer, session)
    except UnusableTorch as error:
        print(error)
        return None
    print(f"torch {session.environment.torch}: {result.outcome.value} ({result.seen})")
    return result.outcome.value if result.verdict in (Verdict.CONFIRMED, Verdict.REFUTED) else None


def describe(name: str, change: OutcomeChange) -> str:
    """The change in one line."""
    outcomes = dict(change.runs)
    if change.before is None or change.after is None:
        return f"{name}: the same at both ends; nothing between them was run"
    return (
        f"{name}: {outcomes[change.before]} up to torch {change.before}, "
        f"{outcomes[change.after]} from torch {change.after} on"
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Search, print each run, and the change."""
    parser = argparse.ArgumentParser(prog="python -m tools.bisect_torch", description=__doc__.splitlines()[0])
    parser.add_argument("id", metavar="ID")
    parser.add_argument("--script", metavar="NAME", default="broken")
    parser.add_argument("--first", metavar="VERSION", help="the oldest torch to try")
    parser.add_argument("--last", metavar="VERSION", help="the newest torch to try")
    parser.add_argument("--kb", type=Path, metavar="DIR", action="append")
    options = parser.parse_args(arguments)
    try:
        reproducer = load(find_catalogue_folders(options.kb)).load_reproducer(options.id, options.script)
        change = find_change(lambda version: find_outcome(reproducer, version), options.first, options.last)
    except DpkbError as error:
        sys.exit(str(error))
    print(describe(f"{reproducer.entry} {reproducer.name}.py", change))


if __name__ == "__main__":
    main()
