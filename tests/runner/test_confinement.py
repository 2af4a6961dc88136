"""The messages on a machine that cannot confine a script."""

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest
from support import refuse_prctl

from dpkb.model import Needs
from dpkb.run_records import Missing
from dpkb.runner.confinement import Confinement, find_confinement
from dpkb.runner.supervisor_client import StartRefused

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


@pytest.fixture
def start(uncached, monkeypatch):
    """start(allows): programs are confined if allows(in a user namespace), and otherwise refused."""

    def make(allows):
        def start_program(argv, env, folders, confinement):
            def wait_for_end(seconds):
                if not allows(confinement.user):
                    raise StartRefused(f"refused {'in' if confinement.user else 'without'} a user namespace")
                return 0

            return SimpleNamespace(wait_for_end=wait_for_end, end_all=lambda: None)

        monkeypatch.setattr("dpkb.runner.confinement.start_program", start_program)

    return make


@pytest.mark.skipif(sys.platform != "linux", reason="scripts are confined on Linux only")
@pytest.mark.parametrize(
    ("allows", "found"),
    [
        (lambda user: True, Confinement(active=True)),
        (lambda user: user, Confinement(active=True, user=True)),
        (lambda user: False, Confinement(why="refused without a user namespace")),
    ],
)
def test_a_user_namespace_is_used_where_it_is_needed(start, allows, found):
    start(allows)
    assert find_confinement() == found


FINDS = "from dpkb.runner.confinement import find_confinement as find; f = find(); print(f.active, f.why)"


@pytest.mark.skipif(not refuse_prctl.AVAILABLE, reason="needs a filter of system calls")
@pytest.mark.parametrize("option", [1, 38])  # PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS
def test_scripts_that_keep_their_privileges_are_not_confined(option):
    done = subprocess.run(
        [sys.executable, refuse_prctl.__file__, str(option), sys.executable, "-c", FINDS],
        check=True,
        capture_output=True,
        text=True,
    )
    active, _, why = done.stdout.strip().partition(" ")
    assert active == "False" and why
    if os.geteuid() == 0:  # otherwise another reason may come first
        assert why == f"prctl option {option}: Operation not permitted"
