"""A program that waits without an end, and functions that wait for a condition."""

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


def processes_with(mark):
    """The ids of the processes that have this word among their arguments."""
    pids = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if mark in process.cmdline() and process.status() != psutil.STATUS_ZOMBIE:
                pids.append(process.pid)
    return pids


def wait_until(is_so, seconds=60):
    """Wait for a condition, and fail if it does not come true."""
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)
