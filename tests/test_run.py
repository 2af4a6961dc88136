"""dpkb run: the command's output and exit code unchanged, a diagnosis on stderr when it fails."""

import os
import subprocess
import sys
import time

import pytest

SHUFFLE = "ValueError: sampler option is mutually exclusive with shuffle"


def run(dpkb, code, *options, **more):
    return dpkb("run", *options, "--", sys.executable, "-c", code, **more)


def test_a_command_that_works_is_left_alone(dpkb):
    done = run(dpkb, "import sys; print('out'); print('err', file=sys.stderr)")
    assert (done.returncode, done.stdout, done.stderr) == (0, "out\n", "err\n")


@pytest.mark.parametrize("code", [1, 3, 77, 255])
def test_the_exit_code_is_the_commands(dpkb, code):
    done = run(dpkb, f"raise SystemExit({code})")
    assert done.returncode == code
    assert done.stdout == ""
    assert "None of these" in done.stderr


def test_what_explains_a_failure_is_said_on_stderr(dpkb):
    done = run(dpkb, "print('begun', flush=True)\n"
                     "raise ValueError('sampler option is mutually exclusive with shuffle')")
    assert (done.returncode, done.stdout) == (1, "begun\n")
    assert SHUFFLE in done.stderr and "DP14" in done.stderr


@pytest.mark.skipif(not hasattr(os, "kill"), reason="needs signals")
def test_a_death_by_signal_is_the_code_that_a_shell_gives(dpkb):
    assert run(dpkb, "import os; os.kill(os.getpid(), 9)").returncode == 128 + 9


def test_a_silent_command_is_ended_when_asked(dpkb):
    done = run(dpkb, "import time; print('one', flush=True); time.sleep(60)", "--stalled", 1, timeout=40)
    assert done.stdout == "one\n"
    assert done.returncode != 0
    assert "no output for 1 s" in done.stderr and "hung" in done.stderr


def test_a_command_that_is_not_there(dpkb):
    done = dpkb("run", "--", "no-such-program")
    assert done.returncode == 2
    assert "cannot be started" in done.stderr and "Traceback" not in done.stderr


def test_an_orphan_that_holds_the_pipe_does_not_hold_dpkb(dpkb):
    orphan = "import os, time\nif os.fork() == 0: time.sleep(20); os._exit(0)\nprint('gone', flush=True)"
    done = run(dpkb, orphan, timeout=15)
    assert (done.returncode, done.stdout) == (0, "gone\n")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_does_not_change_the_commands_code():
    with open("/dev/full", "wb") as full:
        code = "import time; print('lost', flush=True); time.sleep(1); raise SystemExit(7)"
        done = subprocess.run([sys.executable, "-m", "dpkb", "run", "--", sys.executable, "-c", code],
                              stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    assert done.returncode == 7
    assert "ended with code 7" in done.stderr


@pytest.mark.skipif(not hasattr(os, "set_blocking"), reason="needs pipes that do not block")
def test_a_reader_that_is_slow_loses_nothing():
    read, write = os.pipe()
    os.set_blocking(write, False)
    command = [sys.executable, "-m", "dpkb", "run", "--", sys.executable, "-c", "print('x' * 3_000_000)"]
    with subprocess.Popen(command, stdout=write) as started:
        os.close(write)
        with open(read, "rb") as reader:
            time.sleep(1)  # the pipe is full by then
            assert len(reader.read()) == 3_000_001
    assert started.returncode == 0
