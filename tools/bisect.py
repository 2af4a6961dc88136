"""Finds the release of torch in which the outcome of a script changed, by a binary search.

    python -m tools.bisect ID [--script NAME] [--first VERSION] [--last VERSION] [--kb DIR…]

It tries minor releases only, each in an environment that uv creates. If a run proves nothing, for example
because it timed out, it tries a release beside that one.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from dpkb.cli.app import ask, load_catalogue, print_note, warn_unconfined
from dpkb.errors import DpkbError, UnmetNeed, UnusableTorch, UsageError
from dpkb.model import Reproducer, Script
from dpkb.run_records import Verdict
from dpkb.runner import torch_envs
from dpkb.runner.session import open_session
from dpkb.runner.trust import require_trust
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


def find_outcome(script: Reproducer, timeout: float, version: str) -> str | None:
    """The outcome of a script with this version of torch; None if the run proves nothing."""
    try:
        with open_session(torch_envs.ensure_torch_python(version, print_note), "cpu", timeout) as session:
            warn_unconfined([script], session)
            result = reproduce(script, session)
    except UnusableTorch as error:
        print_note(str(error))
        return None
    print_note(f"torch {session.environment.torch}: {result.outcome.value} ({result.seen})")
    return result.outcome.value if result.verdict in (Verdict.CONFIRMED, Verdict.REFUTED) else None


def render_change(script: Script, change: OutcomeChange) -> str:
    """A line for each run, then the change."""
    lines = [f"torch {version}: {outcome}" for version, outcome in change.runs]
    outcomes, name = dict(change.runs), f"{script.entry} {script.name}.py"
    if change.before is None or change.after is None:
        lines.append(f"{name}: the same at both ends; nothing between them was run")
    else:
        lines.append(
            f"{name}: {outcomes[change.before]} up to torch {change.before}, "
            f"{outcomes[change.after]} from torch {change.after} on"
        )
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print each run and the change; the exit code is 0 if there is one."""
    parser = argparse.ArgumentParser(prog="python -m tools.bisect", description=__doc__.splitlines()[0])
    parser.add_argument("entry_id", metavar="ID")
    parser.add_argument("--script", metavar="NAME", default="broken")
    parser.add_argument("--first", metavar="VERSION", help="the oldest torch to try")
    parser.add_argument("--last", metavar="VERSION", help="the newest torch to try")
    parser.add_argument("--timeout", type=float, metavar="SECONDS", default=120)
    parser.add_argument("--trust", action="store_true", help="runs the scripts of added catalogues")
    parser.add_argument("--kb", type=Path, metavar="DIR", action="append", help="adds a catalogue")
    options = parser.parse_args(arguments)
    try:
        catalogue = load_catalogue(options.kb)
        script = catalogue.load_reproducer(options.entry_id, options.script)
        require_trust(script, catalogue.folders, options.trust, ask, print_note)
        change = find_change(
            lambda version: find_outcome(script, options.timeout, version), options.first, options.last
        )
    except DpkbError as error:
        parser.error(str(error))
    print(render_change(script, change))
    sys.exit(0 if change.after else 1)


if __name__ == "__main__":
    main()
