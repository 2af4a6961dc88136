"""A binary search for the release of torch in which the outcome of a script changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from dpkb.errors import UnmetNeed, UsageError
from dpkb.run_records import OutcomeChange
from dpkb.versions.history import load_history

# The oldest torch that the catalogue covers.
_FIRST = "1.8"


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
