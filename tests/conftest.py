"""Shared by all tests: dpkb as a real process, and small catalogues written for one test."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter

import pytest
from support import patch_to_parse_own_entries_once, write_catalogue
from support.in_process import run_in_process


def pytest_configure(config):
    """Prepare this process, and so all processes that tests start."""
    # Started in the background by a script, pytest would ignore Ctrl-C, and so would all that it starts.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(signal, "SIGQUIT"):
        signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    # Several programs run at a time: a waiting OpenMP thread must not occupy a core.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    # Here and not in a fixture: test files read the entries when they are imported.
    parse_once = patch_to_parse_own_entries_once()
    parse_once.start()
    config.add_cleanup(parse_once.stop)


def pytest_collection_modifyitems(items):
    """The files with most slow tests come first: one that started last would keep one process busy alone.

    Files whose scripts take minutes come last.
    """
    slow = Counter(item.location[0] for item in items if item.get_closest_marker("slow"))
    items.sort(key=lambda item: (item.get_closest_marker("reproducers") is not None, -slow[item.location[0]]))


@pytest.fixture(scope="session", autouse=True)
def own_folders(tmp_path_factory):
    """The index and the trusted catalogues of the tests are not those of the user."""
    for name in ("DPKB_CACHE_DIR", "DPKB_STATE_DIR"):
        os.environ[name] = str(tmp_path_factory.mktemp(name.lower()))


@pytest.fixture
def dpkb(tmp_path):
    """Runs dpkb in an empty folder: dpkb("search", "bus error") -> CompletedProcess."""
    here = tmp_path / "here"
    here.mkdir(exist_ok=True)

    def run(*arguments, cwd=here, env=None, timeout=300, **more):
        return subprocess.run(
            [sys.executable, "-m", "dpkb", *map(str, arguments)],
            cwd=cwd,
            text=True,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=timeout,
            env={**os.environ, **(env or {})},
            check=False,
            **more,
        )

    return run


@pytest.fixture
def dpkb_in_process(tmp_path):
    """The same without a new process, which is faster: for tests that do not depend on streams or signals."""
    here = tmp_path / "here"
    here.mkdir(exist_ok=True)

    def run(*arguments, cwd=here, env=None):
        return run_in_process(*arguments, cwd=cwd, env=env)

    return run


@pytest.fixture
def catalogue(tmp_path):
    """Writes a catalogue of one entry: catalogue(body=..., shows=...) -> its folder."""

    def make(name: str = "catalogue", **more):
        return write_catalogue(tmp_path / name, **more)

    return make
