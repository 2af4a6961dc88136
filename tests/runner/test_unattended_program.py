"""A program that a server runs: its output, its end, and that no process is left."""

import os
import signal
import sys
import threading

import psutil
import pytest
from support.waiting import wait_until

from dpkb.errors import Stopped
from dpkb.runner.unattended_program import run_unattended

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
# Leaves a file, and removes it when it is asked to end.
CLEANS = """
import pathlib, signal, sys, time
file = pathlib.Path(sys.argv[1])
def end(*_):
    file.unlink()
    sys.exit(7)
signal.signal(signal.SIGTERM, end)
file.touch()
time.sleep(300)
"""


def run(*argv, seconds=60, max_bytes=64 << 10, stop=None):
    return run_unattended(list(argv), seconds, stop or threading.Event(), max_bytes)


def test_the_code_and_the_end_of_the_output_are_returned():
    script = "head -c 9000 /dev/zero | tr '\\0' y; echo; echo last >&2; exit 3"
    end = run("/bin/sh", "-c", script, max_bytes=20)
    assert (end.code, end.timed_out) == (3, False)
    assert len(end.output) == 20 and end.output.endswith(b"y\nlast\n")
    assert run("/bin/sh", "-c", "kill -9 $$").code == -signal.SIGKILL


def test_a_program_that_takes_too_long_gets_time_to_clean_up(tmp_path):
    end = run(sys.executable, "-c", CLEANS, str(tmp_path / "left"), seconds=2)
    assert (end.code, end.timed_out) == (7, True)
    assert not (tmp_path / "left").exists()


def test_a_stop_ends_the_program_and_all_of_its_processes(tmp_path):
    pids = tmp_path / "pids"
    stop = threading.Event()
    script = f"sleep 300 & echo $! $$ > {pids}.new; mv {pids}.new {pids}; wait"

    def stop_when_it_runs():
        wait_until(pids.exists)
        stop.set()

    threading.Thread(target=stop_when_it_runs, daemon=True).start()
    with pytest.raises(Stopped):
        run("/bin/sh", "-c", script, stop=stop)
    assert not any(psutil.pid_exists(int(pid)) for pid in pids.read_text().split())


def test_a_program_has_the_folder_and_variables_of_the_server_but_no_input(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("A_VARIABLE", "of the server")
    end = run("/bin/sh", "-c", 'pwd; echo "$A_VARIABLE"; cat')
    assert end.output.decode().splitlines() == [os.path.realpath(tmp_path), "of the server"]
