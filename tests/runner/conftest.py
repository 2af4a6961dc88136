"""Runs scripts in this process, as separate programs and as forks, under limits that a test chooses."""

from __future__ import annotations

import os
import sys
import threading

import pytest

from dpkb.runner.confinement import find_confinement
from dpkb.runner.fork_server import run_fork_server
from dpkb.runner.interpreter import probe
from dpkb.runner.limits import Limits
from dpkb.runner.session import Session


@pytest.fixture(scope="session")
def fork_server():
    """A fork server without torch: its forks start in a moment."""
    with run_fork_server(sys.executable, dict(os.environ), threading.Event(), modules=()) as server:
        yield server


@pytest.fixture
def session_of(fork_server):
    """session_of("program" or "fork", limits, confinement, env) -> what scripts run in."""

    def make(way, limits=None, confinement=None, env=None):
        if way == "fork" and fork_server is None:
            pytest.skip("scripts are forked on Linux only")
        confinement = find_confinement() if confinement is None else confinement
        return Session(
            probe(None, "cpu"),
            env or dict(os.environ),
            limits or Limits(),
            confinement,
            threading.Event(),
            fork_server if way == "fork" else None,
        )

    return make
