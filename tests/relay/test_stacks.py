"""Where the processes of a hanging command wait: from py-spy, or how to install py-spy."""

import json
import os
import subprocess
import sys

import psutil
import pytest

from dpkb.relay import stacks

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes of POSIX")


@pytest.fixture
def waiting():
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as process:
        yield process
        process.kill()


@pytest.fixture
def renamed():
    """A process with the name that torch gives to the workers of a DataLoader."""
    code = (
        "import ctypes, time; ctypes.CDLL(None).prctl(15, b'pt_data_worker'); "
        "print('renamed', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        yield process
        process.kill()


@pytest.fixture
def py_spy(tmp_path, monkeypatch):
    """py_spy(text) puts a program called py-spy first on the PATH."""

    def install(text):
        tool = tmp_path / "py-spy"
        tool.write_text(text)
        tool.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
        return tool

    return install


def test_each_python_process_is_described(waiting, py_spy):
    py_spy('#!/bin/sh\necho "asked for: $*"\n')
    assert stacks.describe_stacks(waiting.pid) == (
        f"Its processes are here:\nasked for: dump --pid {waiting.pid}"
    )


@pytest.mark.skipif(sys.platform != "linux", reason="prctl renames a process")
def test_a_process_that_has_renamed_itself_is_described(renamed, py_spy):
    py_spy('#!/bin/sh\necho "asked for: $*"\n')
    assert psutil.Process(renamed.pid).name() == "pt_data_worker"
    assert stacks.describe_stacks(renamed.pid).endswith(f"dump --pid {renamed.pid}")


def test_a_py_spy_that_cannot_be_run_is_named(waiting, py_spy):
    tool = py_spy("no first line, as in a program for another kind of processor")
    described = stacks.describe_stacks(waiting.pid)
    assert described.startswith(f"{tool} cannot be run: Exec format error. Install it again")


@pytest.mark.parametrize("line", ["exec sleep 300", "exit 1"])
def test_a_py_spy_that_describes_nothing_does_no_harm(waiting, py_spy, monkeypatch, line):
    monkeypatch.setattr(stacks, "_DUMP_SECONDS", 2.0)
    py_spy(f"#!/bin/sh\n{line}\n")
    assert stacks.describe_stacks(waiting.pid).strip() == "Its processes are here:"


def test_output_that_is_no_text_is_shown_with_replacements(waiting, py_spy):
    py_spy("#!/bin/sh\nprintf 'caf\\351'\n")
    assert stacks.describe_stacks(waiting.pid).endswith("\ncaf\ufffd")


def test_without_py_spy_the_message_says_how_to_install_it(waiting, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(stacks.sys, "executable", str(tmp_path / "python"))
    assert "pip install py-spy" in stacks.describe_stacks(waiting.pid)
    assert f"process {waiting.pid} (python" in stacks.describe_stacks(waiting.pid)


DUMP = """Process {pid}: python fit.py
Python v3.11.7 (/usr/bin/python3.11)

Thread {pid} (idle): "MainThread"
    _try_get_data (torch/utils/data/dataloader.py:1256)
    epoch (fit.py:33)
"""


def test_a_job_that_hangs_is_looked_at_three_times(waiting, py_spy, tmp_path, dpkb_in_process, monkeypatch):
    monkeypatch.setattr(stacks, "_SECONDS_BETWEEN", 0.0)
    calls = tmp_path / "calls"
    py_spy(f"#!/bin/sh\necho $* >> {calls}\ncat <<'END'\n{DUMP.format(pid=waiting.pid)}END\n")
    done = dpkb_in_process("diagnose", "--pid", waiting.pid, "--nonblocking", "--json")
    answer = json.loads(done.stdout)
    assert calls.read_text() == f"dump --pid {waiting.pid} --nonblocking\n" * 3
    assert answer["differences"] == ["it waits in _try_get_data, fit.py:33"] and len(answer["stacks"]) == 3
    assert {"DP30", "U8"} == {match["id"] for match in answer["matches"]} and done.returncode == 0


def test_the_stacks_of_a_rank_begin_with_its_rank(py_spy):
    py_spy("#!/bin/sh\necho one\necho two\n")
    code = [sys.executable, "-c", "print(1, flush=True); import time; time.sleep(60)"]
    with subprocess.Popen(code, env={**os.environ, "RANK": "3"}, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        assert "[rank3] one\n[rank3] two" in stacks.describe_stacks(process.pid)
        process.kill()


def test_a_process_that_is_gone_is_one_clear_line(dpkb_in_process):
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    done = dpkb_in_process("diagnose", "--pid", process.pid)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"dpkb: there is no process {process.pid}, or it has ended\n"


def test_stacks_that_cannot_be_taken_are_said_to_be_missing(waiting, py_spy, dpkb_in_process, monkeypatch):
    monkeypatch.setattr(stacks, "_SECONDS_BETWEEN", 0.0)
    py_spy("#!/bin/sh\necho 'Permission Denied: Try running again with elevated permissions' >&2; exit 1\n")
    done = dpkb_in_process("diagnose", "--pid", waiting.pid)
    assert done.returncode == 1 and "no stack could be read" in done.stderr and "Permission" in done.stderr
