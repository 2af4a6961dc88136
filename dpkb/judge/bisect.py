"""A binary search for the release of torch in which the outcome of a script changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dpkb.errors import UsageError

# Every minor release of torch that the catalogue covers.
MINORS = (*(f"1.{minor}" for minor in range(8, 14)), *(f"2.{minor}" for minor in range(16)))


@dataclass(frozen=True)
class OutcomeChange:
    """The runs of a search as (version, outcome), and the last version before and the first after the change.

    before, after: None if the outcome did not change.
    """

    runs: list[tuple[str, str]]
    before: str | None = None
    after: str | None = None


def find_change(outcome_on: Callable[[str], str], first: str | None = None,
                last: str | None = None) -> OutcomeChange:
    """Find the minor release in which an outcome changed, from `first` to `last` (default: all of MINORS).

    outcome_on: runs the script on a version and returns its outcome. Assumes at most one change, so nothing
    is run between two versions with the same outcome. Raises UsageError for a version that is not in MINORS,
    and if `first` is newer than `last`.
    """
    for version in (first, last):
        if version is not None and version not in MINORS:
            raise UsageError(f"{version} is not a minor release of torch from {MINORS[0]} to {MINORS[-1]}")
    low, high = MINORS.index(first or MINORS[0]), MINORS.index(last or MINORS[-1])
    if low > high:
        raise UsageError(f"torch {MINORS[low]} is newer than {MINORS[high]}: swap --first and --last")
    seen = {index: outcome_on(MINORS[index]) for index in dict.fromkeys((low, high))}
    while seen[low] != seen[high] and high - low > 1:
        middle = (low + high) // 2
        seen[middle] = outcome_on(MINORS[middle])
        # A third outcome is a change too. If there are several changes, the search finds the first.
        low, high = (middle, high) if seen[middle] == seen[low] else (low, middle)
    runs = [(MINORS[index], seen[index]) for index in sorted(seen)]
    if seen[low] == seen[high]:
        return OutcomeChange(runs)
    return OutcomeChange(runs, MINORS[low], MINORS[high])
