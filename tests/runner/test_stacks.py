"""Where the processes of a hanging command wait: from py-spy, or how to install py-spy."""

import subprocess
import sys

import pytest

from dpkb.runner import stacks

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes of POSIX")


@pytest.fixture
def waiting():
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as process:
        yield process
        process.kill()


def test_each_python_process_is_described(waiting, tmp_path, monkeypatch):
    tool = tmp_path / "py-spy"
    tool.write_text('#!/bin/sh\necho "asked for: $*"\n')
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert stacks.describe_stacks(waiting.pid) == (
        f"Its processes are here:\nasked for: dump --pid {waiting.pid}")


def test_without_py_spy_the_message_says_how_to_install_it(waiting, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(stacks.sys, "executable", str(tmp_path / "python"))
    assert "pip install py-spy" in stacks.describe_stacks(waiting.pid)
