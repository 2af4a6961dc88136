"""Finds the release of torch in which an outcome changed, in few runs. Pure: it is given what runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dpkb.errors import UsageError

# Every minor release since the oldest that the catalogue covers.
MINORS = (*(f"1.{minor}" for minor in range(8, 14)), *(f"2.{minor}" for minor in range(16)))


@dataclass(frozen=True)
class Change:
    """Between which two versions an outcome changed (None: it did not), and the runs that showed it."""

    runs: list[tuple[str, str]]
    before: str | None = None
    after: str | None = None


def bisect(outcome: Callable[[str], str], first: str | None = None, last: str | None = None) -> Change:
    """Find the minor release in which an outcome changed, from the first to the last of MINORS.

    Assumes one change: nothing is run between two versions with the same outcome. Raises UsageError for a
    version that is not a minor release, and if the first is newer than the last.
    """
    for version in (first, last):
        if version is not None and version not in MINORS:
            raise UsageError(f"{version} is not a minor release of torch from {MINORS[0]} to {MINORS[-1]}")
    low, high = MINORS.index(first or MINORS[0]), MINORS.index(last or MINORS[-1])
    if low > high:
        raise UsageError(f"torch {MINORS[low]} is newer than {MINORS[high]}: exchange --first and --last")
    seen = {index: outcome(MINORS[index]) for index in dict.fromkeys((low, high))}
    while seen[low] != seen[high] and high - low > 1:
        middle = (low + high) // 2
        seen[middle] = outcome(MINORS[middle])
        # An outcome like neither end's is a change too: the first change is looked for.
        low, high = (middle, high) if seen[middle] == seen[low] else (low, middle)
    runs = [(MINORS[index], seen[index]) for index in sorted(seen)]
    if seen[low] == seen[high]:
        return Change(runs)
    return Change(runs, MINORS[low], MINORS[high])
