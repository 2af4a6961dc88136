"""A program that waits for 10 minutes, and functions that find processes and wait for a condition."""

import contextlib
import time

import psutil

# Starts a process in a new session, as a launcher does, and waits.
WAITS = """
import subprocess, sys, time
code = "import time; time.sleep(600)"
subprocess.Popen([sys.executable, "-c", code, sys.argv[-1]], start_new_session=True)
time.sleep(600)
"""


def find_processes(argument):
    """The ids of the processes that have this argument."""
    pids = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if argument in process.cmdline() and process.status() != psutil.STATUS_ZOMBIE:
                pids.append(process.pid)
    return pids


def wait_until(condition, seconds=60):
    """Wait until a condition is true; fail if that takes too long."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"the condition was not true within {seconds} s"
        time.sleep(0.05)
