"""The messages on a machine that cannot confine a script."""

import sys

import pytest

from dpkb.model import Needs
from dpkb.run_records import Missing
from dpkb.runner.confinement import Confinement, find_confinement

FULL = Confinement(active=True)


def test_the_warning_says_what_a_script_can_do_and_why():
    assert FULL.warning is None
    warning = Confinement(why="no pid namespaces").warning
    assert "signalling your processes" in warning and "here: no pid namespaces; see" in warning


@pytest.mark.parametrize(
    ("confinement", "needs", "missing"),
    [
        (FULL, Needs(shm_mb=4), False),
        (Confinement(why="needs Linux"), Needs(shm_mb=4), True),
        (Confinement(), Needs(), False),
        (Confinement(), Needs(open_files=64), False),
    ],
)
def test_a_limit_that_cannot_be_set_here_is_a_missing_need(confinement, needs, missing):
    assert bool(confinement.find_unsettable_limit(needs)) is missing


def test_a_machine_with_linux_is_not_told_to_use_linux():
    need = Confinement(why="no right to mount").find_unsettable_limit(Needs(shm_mb=4))
    assert need.missing is (Missing.OTHER if sys.platform == "linux" else Missing.LINUX)


@pytest.fixture
def uncached():
    """The answer is not known yet. The answer of this test is forgotten even if the test fails."""
    find_confinement.cache_clear()
    yield
    find_confinement.cache_clear()


@pytest.mark.parametrize("answer", [(1, ""), (0, "no JSON"), (0, "{}"), (127, "")])
def test_if_the_trial_fails_nothing_is_confined_and_there_is_a_reason(uncached, monkeypatch, answer):
    monkeypatch.setattr("dpkb.runner.confinement.run_helper", lambda *_, **__: answer)
    found = find_confinement()
    assert not found.active and found.why
