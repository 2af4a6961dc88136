"""What is said about a machine that cannot confine a script."""

import pytest

from dpkb.model import Needs
from dpkb.runner.confinement import Confinement, find_strictest_confinement

FULL = Confinement(True, ("files", "processes", "network"))


def test_only_what_stays_open_to_a_script_is_named():
    assert FULL.gaps is None
    gaps = Confinement(True, ("files", "network"), "no pid namespaces").gaps
    assert "signalling your processes here: no pid namespaces" in gaps and "your files" not in gaps


@pytest.mark.parametrize(("confinement", "needs", "unmet"), [
    (FULL, Needs(shm_mb=4), False), (Confinement(why="needs Linux"), Needs(shm_mb=4), True),
    (Confinement(), Needs(), False), (Confinement(), Needs(open_files=64), False),
])
def test_a_place_that_cannot_be_made_is_named(confinement, needs, unmet):
    assert bool(confinement.unmet_need(needs)) is unmet


def test_a_trial_that_fails_confines_nothing(monkeypatch):
    for answer in ((1, ""), (0, "no JSON"), (0, "{}"), (127, "")):
        find_strictest_confinement.cache_clear()
        monkeypatch.setattr("dpkb.runner.confinement.run_helper", lambda *_, answer=answer, **__: answer)
        assert find_strictest_confinement().namespaces == () and find_strictest_confinement().why
    find_strictest_confinement.cache_clear()
