"""The release in which an outcome changed is found in few runs."""

import sys

import pytest
from support import SKIPPING

from dpkb.errors import UnmetNeed, UnusableTorch, UsageError
from tools.bisect_torch import OutcomeChange, describe, find_change, list_minor_releases, main

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


RUNS = [("1.8", "raised"), ("2.0", "raised"), ("2.1", "healthy"), ("2.15", "healthy")]


def test_a_change_is_described_with_both_sides():
    change = OutcomeChange(RUNS, "2.0", "2.1")
    assert describe("ZZ1", change) == "ZZ1: raised up to torch 2.0, healthy from torch 2.1 on"
    change = OutcomeChange([RUNS[0], ("2.15", "raised")])
    assert describe("ZZ1", change).endswith("the same at both ends; nothing between them was run")


@pytest.fixture
def installed(monkeypatch):
    """installed(version, ...): these versions can be installed. Each is the interpreter of the tests."""

    def install(*versions):
        def find_python(version, note):
            if version in versions:
                return sys.executable
            raise UnusableTorch(f"torch {version} could not be installed: no network")

        monkeypatch.setattr("dpkb.runner.torch_envs.ensure_torch_python", find_python)

    return install


def test_a_torch_that_cannot_be_installed_does_not_end_the_search(catalogue, installed, capsys):
    installed("2.4", "2.6")
    main(["ZZ1", "--first", "2.4", "--last", "2.7", "--kb", str(catalogue())])
    lines = capsys.readouterr().out.splitlines()
    assert "torch 2.7 could not be installed: no network" in lines
    assert lines[-1] == "ZZ1 broken.py: the same at both ends; nothing between them was run"


def test_runs_that_prove_nothing_are_no_outcome(catalogue, installed):
    installed("2.4", "2.7")
    with pytest.raises(SystemExit, match=r"torch 2\.4, 2\.5: no run proves anything"):
        main(["ZZ1", "--first", "2.4", "--last", "2.7", "--kb", str(catalogue(broken=SKIPPING))])
