"""The release in which an outcome changed is found in few runs."""

import pytest

from dpkb.errors import UnmetNeed, UsageError
from dpkb.runner.bisect import find_change, list_minor_releases

MINORS = list_minor_releases()


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


def changed_in_2_4(version):
    return "healthy" if MINORS.index(version) >= MINORS.index("2.4") else "raised"


@pytest.mark.parametrize("silent", [version for version in MINORS if version not in ("2.3", "2.4")])
def test_beside_a_version_that_proves_nothing_another_is_tried(silent):
    runs = []

    def outcome(version):
        runs.append(version)
        return None if version == silent else changed_in_2_4(version)

    change = find_change(outcome)
    assert (change.before, change.after) == ("2.3", "2.4")
    assert len(runs) == len(set(runs)) <= 8 and silent not in dict(change.runs)


@pytest.mark.parametrize(
    ("silent", "versions", "so_far"),
    [
        (("1.8", "1.9"), r"1\.8, 1\.9", "none"),
        (("2.14", "2.15"), r"2\.15, 2\.14", r"torch 1\.8: raised"),
        (("2.4",), r"2\.4", r"torch 1\.8: raised, .*torch 2\.3: raised, torch 2\.5: healthy, .*"),
    ],
)
def test_without_an_outcome_the_search_ends_and_names_its_runs(silent, versions, so_far):
    with pytest.raises(UnmetNeed, match=f"^torch {versions}: no run .* Runs that do: {so_far}$"):
        find_change(lambda version: None if version in silent else changed_in_2_4(version))


def test_a_first_version_newer_than_the_last_is_refused():
    with pytest.raises(UsageError, match=r"2\.4 is newer than 1\.9: swap --first and --last"):
        find_change(lambda version: version, first="2.4", last="1.9")


@pytest.mark.parametrize("ends", [{"first": "2.1", "last": "2.1"}, {"last": "1.8"}])
def test_one_release_is_no_range(ends):
    with pytest.raises(UsageError, match=r"is both the first and the last: name two releases"):
        find_change(lambda version: "healthy", **ends)


def test_a_version_that_does_not_exist_is_refused():
    with pytest.raises(UsageError, match=r"7\.1 is not a minor release of torch from 1\.8 to "):
        find_change(lambda version: "healthy", first="7.1")
