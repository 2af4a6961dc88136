"""A fork server runs while its block runs, and has ended afterwards."""

import os
import socket
import sys
import threading
import time
from pathlib import Path

import pytest

from dpkb.guest.processes import GIVE_UP_SECONDS
from dpkb.runner.confinement import find_strictest_confinement
from dpkb.runner.fork_server import run_fork_server
from dpkb.runner.processes import find_descendants
from dpkb.runner.scratch import run_folders
from dpkb.runner.supervisor_client import ForkedScript, build_request

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="scripts are forked on Linux only")


def test_the_fork_server_listens_while_the_block_runs():
    before, go_on = set(find_descendants(os.getpid())), threading.Event()
    with run_fork_server(sys.executable, dict(os.environ), go_on, modules=("no_such_module",)) as address:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(address)
        assert set(find_descendants(os.getpid())) - before
    assert not Path(address).exists() and not Path(address).parent.exists()
    assert set(find_descendants(os.getpid())) <= before


def test_a_program_that_is_no_interpreter_gives_no_fork_server(tmp_path):
    for python in (str(tmp_path / "python"), "/bin/true"):
        with run_fork_server(python, dict(os.environ), threading.Event(), modules=()) as address:
            assert address is None


def test_a_request_to_stop_ends_the_waiting():
    stop = threading.Event()
    stop.set()
    before = set(find_descendants(os.getpid()))
    with run_fork_server(sys.executable, dict(os.environ), stop, modules=()) as address:
        assert address is None
    assert set(find_descendants(os.getpid())) <= before


def test_the_fork_server_ends_at_once_while_a_script_is_starting(tmp_path):
    """A process namespace is removed only after all of its processes were reaped, if necessary by dpkb."""
    script = tmp_path / "script.py"
    script.write_text("import time\ntime.sleep(600)\n")
    before, stop = set(find_descendants(os.getpid())), threading.Event()
    with run_folders() as folders:
        folders.stdout.touch()
        folders.stderr.touch()
        with run_fork_server(sys.executable, dict(os.environ), stop, modules=()) as address:
            asked = build_request(
                [str(script)], dict(os.environ), folders, find_strictest_confinement(), shm_bytes=1 << 20
            )
            ForkedScript(address, asked, stop)
            began = time.monotonic()
        assert time.monotonic() - began < GIVE_UP_SECONDS / 2
    assert set(find_descendants(os.getpid())) <= before
