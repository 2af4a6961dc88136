"""The release in which an outcome changed is found in few runs."""

import pytest

from dpkb.errors import UsageError
from dpkb.judge.bisect import MINORS, find_change


@pytest.mark.parametrize("changed", MINORS[1:])
def test_every_boundary_is_found_in_few_runs(changed):
    runs = []

    def outcome(version):
        runs.append(version)
        return "healthy" if MINORS.index(version) >= MINORS.index(changed) else "raised"

    change = find_change(outcome)
    assert (change.before, change.after) == (MINORS[MINORS.index(changed) - 1], changed)
    assert len(runs) == len(set(runs)) <= 7


def test_no_change_is_reported():
    change = find_change(lambda version: "healthy")
    assert change.after is None and len(change.runs) == 2


def test_a_first_version_newer_than_the_last_is_refused():
    with pytest.raises(UsageError, match=r"2\.4 is newer than 1\.9: swap --first and --last"):
        find_change(lambda version: version, first="2.4", last="1.9")


def test_a_version_that_does_not_exist_is_refused():
    with pytest.raises(UsageError, match=r"7\.1 is not a minor release of torch from 1\.8 to "):
        find_change(lambda version: "healthy", first="7.1")
