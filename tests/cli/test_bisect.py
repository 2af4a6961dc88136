"""dpkb bisect over small catalogues. Each version of torch is the interpreter of the tests."""

import json
import sys

import pytest
from support import SKIPPING

from dpkb.errors import UnusableTorch


@pytest.fixture
def installed(monkeypatch):
    """installed(version, ...): these versions can be installed."""

    def install(*versions):
        def find_python(version, note):
            if version in versions:
                return sys.executable
            raise UnusableTorch(f"torch {version} could not be installed: no network")

        monkeypatch.setattr("dpkb.runner.torch_envs.ensure_torch_python", find_python)

    return install


def test_a_torch_that_cannot_be_installed_does_not_end_the_search(dpkb_in_process, catalogue, installed):
    installed("2.4", "2.6")
    done = dpkb_in_process(
        "bisect", "ZZ1", "--first", "2.4", "--last", "2.7", "--json", "--trust", "--kb", catalogue()
    )
    assert done.returncode == 1 and "torch 2.7 could not be installed: no network" in done.stderr
    assert [run["torch"] for run in json.loads(done.stdout)["runs"]] == ["2.4", "2.6"]


def test_runs_that_prove_nothing_are_no_outcome(dpkb_in_process, catalogue, installed):
    installed("2.4", "2.7")
    done = dpkb_in_process(
        "bisect", "ZZ1", "--first", "2.4", "--last", "2.7", "--trust", "--kb", catalogue(broken=SKIPPING)
    )
    assert done.returncode == 2 and not done.stdout
    assert "dpkb: torch 2.4, 2.5: no run proves anything" in done.stderr
