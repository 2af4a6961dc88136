"""Where the processes of a hanging command wait: from py-spy, or how to install py-spy."""

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
