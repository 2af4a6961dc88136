"""Signals are forwarded to a command, and each arrives once."""

import os
import signal
import subprocess
import sys

import psutil
import pytest

from dpkb.relay.signal_forwarding import list_signals_to_forward

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="signals are forwarded on Linux only")
WRAPPED = f"{sys.executable} -m dpkb run --"

# Prints the name of each signal that it gets, and ends with RTMAX. That has the highest number of them, so
# a signal that was sent twice arrives before it. os.write: a signal may arrive within print, which cannot be
# entered twice.
HEARS = r"""
import os, signal, sys, time
def note(number, frame):
    os.write(1, b"got %s\n" % signal.Signals(number).name.encode())
    if number == signal.SIGRTMAX:
        os._exit(0)
for number in signal.valid_signals() - {9, 19}:
    signal.signal(number, note)
print("ready", os.getpid(), flush=True)
end = time.monotonic() + 300
while time.monotonic() < end:
    time.sleep(0.01)
"""


def test_signals_that_request_something_are_forwarded():
    forwarded = list_signals_to_forward()
    assert {signal.SIGINT, signal.SIGXCPU, signal.SIGRTMIN + 3, signal.SIGCONT} <= forwarded
    # These cannot be caught, suspend a job, report dpkb's own children, or are faults of dpkb itself.
    assert not forwarded & {signal.SIGKILL, signal.SIGSTOP, signal.SIGTSTP, signal.SIGCHLD, signal.SIGSEGV}


@pytest.mark.parametrize("whole_group", [False, True], ids=["to the process alone", "to its group"])
@pytest.mark.parametrize("prefix", ["", WRAPPED], ids=["without", "with"])
def test_each_signal_arrives_once(tmp_path, prefix, whole_group):
    names = (
        "USR1",
        "USR1",
        "USR2",
        "HUP",
        "QUIT",
        "INT",
        "ALRM",
        "WINCH",
        "CONT",
        "TERM",
        "XCPU",
        "ABRT",
        "PIPE",
    )
    names += ("RTMIN", "RTMIN")
    (tmp_path / "hears.py").write_text(HEARS)
    with subprocess.Popen(
        [*prefix.split(), sys.executable, "hears.py"],
        cwd=tmp_path,
        text=True,
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as started:
        assert started.stdout.readline().startswith("ready")
        heard = []
        for name in names:
            (os.killpg if whole_group else os.kill)(started.pid, getattr(signal, f"SIG{name}"))
            heard.append(started.stdout.readline().strip())
        os.kill(started.pid, signal.SIGRTMAX)  # on the way that a second signal would take
        heard += started.stdout.read().split("\n")[:-1]
    assert heard == [f"got SIG{name}" for name in (*names, "RTMAX")]
    assert started.returncode == 0


def test_a_signal_to_the_group_before_the_command_is_started_arrives():
    code = (
        "import os, signal, subprocess\n"
        "from dpkb.relay.command import run_command\n"
        "start = subprocess.Popen\n"
        "def signalled(*args, **more):\n"
        "    os.killpg(0, signal.SIGUSR1)\n"
        "    return start(*args, **more)\n"
        "subprocess.Popen = signalled\n"
        "print(run_command(['sleep', '300']).code)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, start_new_session=True, check=False
    )
    assert done.stdout == f"-{int(signal.SIGUSR1)}\n"


def test_a_command_ends_with_a_dpkb_that_is_killed():
    command = [*WRAPPED.split(), "sh", "-c", "echo $$; exec sleep 300"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as started:
        sleeper = psutil.Process(int(started.stdout.readline()))
        started.kill()
    sleeper.wait(60)  # raises TimeoutExpired if it goes on
