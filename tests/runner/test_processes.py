"""A whole tree of processes gets SIGTERM, and is killed if it does not end."""

import os
import signal
import subprocess
import sys
import threading
import time

import psutil
import pytest

from dpkb.errors import Stopped
from dpkb.runner import processes

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
# Starts a copy of itself as its child, down to the depth in its first argument; prints a line when all run.
TREE = """
import signal, subprocess, sys, time
depth, on_term = int(sys.argv[1]), sys.argv[2]
if on_term == "ignore":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = depth and subprocess.Popen([sys.executable, sys.argv[0], str(depth - 1), on_term],
                                   stdout=subprocess.PIPE)
if child:
    child.stdout.readline()
print("ready", flush=True)
time.sleep(300)
"""


@pytest.fixture
def tree(tmp_path):
    """tree("ignore" or "end") -> a process, its child and grandchild."""
    script = tmp_path / "tree.py"
    script.write_text(TREE)

    def start(on_term):
        process = subprocess.Popen(
            [sys.executable, str(script), "2", on_term], stdout=subprocess.PIPE, start_new_session=True
        )
        process.stdout.readline()
        process.stdout.close()
        members = [psutil.Process(pid) for pid in (process.pid, *processes.find_descendants(process.pid))]
        assert len(members) == 3
        started.append(process)
        return process, members

    started = []
    yield start
    for process in started:
        processes.end_tree(process)


def is_there(process):
    return process.is_running() and process.status() != psutil.STATUS_ZOMBIE


def test_a_tree_is_killed_as_a_whole(tree):
    process, members = tree("ignore")
    processes.end_tree(process)
    assert not any(map(is_there, members)) and process.returncode is not None


@pytest.mark.parametrize(("on_term", "seconds"), [("end", 60), ("ignore", 0.5)])
def test_end_gracefully_waits_only_for_processes_that_clean_up(tree, on_term, seconds):
    process, members = tree(on_term)
    began = time.monotonic()
    processes.end_gracefully(process, seconds)
    assert not any(map(is_there, members))
    assert (time.monotonic() - began < seconds) is (on_term == "end")


def test_ask_to_end_returns_only_processes_that_still_run(tree):
    process, _ = tree("ignore")
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    assert [one.pid for one in processes.ask_to_end([gone.pid, process.pid])] == [process.pid]


def test_run_helper_returns_the_code_and_the_output():
    code, text = processes.run_helper([sys.executable, "-c", "import sys; print('out'); sys.exit(3)"])
    assert (code, text.strip()) == (3, "out")
    assert processes.run_helper(["no-such-program-here"])[0] == 127


def test_run_helper_ends_a_program_that_takes_too_long_or_is_stopped():
    waits = [sys.executable, "-c", "import time; time.sleep(300)"]
    assert processes.run_helper(waits, seconds=0.3, errors=True) == (127, "no end after 0.3 s")
    stop = threading.Event()
    stop.set()
    with pytest.raises(Stopped):
        processes.run_helper(waits, stop=stop)


def test_a_stopped_process_is_recognised():
    with subprocess.Popen(["sleep", "60"]) as process:
        assert not processes.is_stopped(process.pid)
        process.send_signal(signal.SIGSTOP)
        os.waitpid(process.pid, os.WUNTRACED)
        assert processes.is_stopped(process.pid)
        process.kill()
    assert not processes.is_stopped(process.pid)
