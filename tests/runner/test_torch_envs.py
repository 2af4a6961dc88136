"""Environments for --torch: installed once, ended with dpkb. Here uv is a shell script."""

import os
import signal
import subprocess
import sys
import threading

import psutil
import pytest
from support.waiting import wait_until

from dpkb.errors import UsageError
from dpkb.runner import torch_envs

needs_sh = pytest.mark.skipif(os.name != "posix", reason="uv is a shell script here")
SLOW_UV = "#!/bin/sh\necho $$ > {pid}\nsleep 600\n"
# Creates the files of `uv venv`, slowly enough that another dpkb starts in the meantime.
COUNTING_UV = """#!/bin/sh
echo "$1" >> {calls}
sleep 0.3
if [ "$1" = venv ]; then for folder; do :; done; mkdir -p "$folder/bin" && touch "$folder/bin/python"; fi
"""


@pytest.fixture
def fake_uv(tmp_path, monkeypatch):
    """fake_uv(text) puts a shell script called uv first on the PATH, and the environments in tmp_path."""

    def install(text):
        path = tmp_path / "bin" / "uv"
        path.parent.mkdir()
        path.write_text(text.format(pid=tmp_path / "pid", calls=tmp_path / "calls"))
        path.chmod(0o755)
        monkeypatch.setenv("PATH", f"{path.parent}{os.pathsep}{os.environ['PATH']}")
        monkeypatch.setenv("DPKB_CACHE_DIR", str(tmp_path / "cache"))

    return install


@needs_sh
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("command", [["repro", "DP7", "--torch", "2.4"]])
def test_uv_ends_with_dpkb(fake_uv, tmp_path, command, number):
    fake_uv(SLOW_UV)
    process = subprocess.Popen(
        [sys.executable, "-m", "dpkb", *command],
        cwd=tmp_path,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    wait_until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().strip())
    process.send_signal(number)
    _, stderr = process.communicate(timeout=120)
    assert process.returncode == 130 and "stopped" in stderr
    assert not psutil.pid_exists(int((tmp_path / "pid").read_text()))
    assert list((tmp_path / "cache" / "environments").iterdir()) == []


@needs_sh
def test_concurrent_calls_install_an_environment_once(fake_uv, tmp_path):
    fake_uv(COUNTING_UV)
    pythons, stop = [], threading.Event()

    def install():
        pythons.append(torch_envs.ensure_torch_python("2.4", print, stop=stop))

    threads = [threading.Thread(target=install) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert len(pythons) == 3 and len(set(pythons)) == 1
    assert (tmp_path / "calls").read_text().split() == ["venv", "pip"]


def test_a_failure_leaves_no_environment_and_gives_the_reason(fake_uv, tmp_path):
    fake_uv("#!/bin/sh\necho '  ╰─▶ there is no such wheel.'\nexit 1\n")
    with pytest.raises(
        UsageError,
        match=r"torch 2\.4 could not be installed: there is no such wheel\. "
        r"Check the version, the network and the disk",
    ):
        torch_envs.ensure_torch_python("2.4", print)
    assert list((tmp_path / "cache" / "environments").iterdir()) == []


@pytest.mark.parametrize("version", ["2", "2.4.1.0", "2.4+cu121", "\uff12.\uff14", f"1.{'9' * 300}"])
def test_a_version_that_torch_cannot_have_is_refused(version):
    with pytest.raises(UsageError, match="must be a version, such as"):
        torch_envs.ensure_torch_python(version, print)


def test_wrong_options_for_torch_are_refused(dpkb_in_process):
    done = dpkb_in_process("list", "--torch", "new")
    assert done.returncode == 2 and "must be a version, such as 2.4" in done.stderr
    done = dpkb_in_process("repro", "DP7", "--torch", "2.4", "--python", "python3")
    assert done.returncode == 2 and "use one of them" in done.stderr


def test_without_uv_the_message_says_what_to_do(dpkb_in_process, tmp_path):
    bare = {"PATH": str(tmp_path), "DPKB_CACHE_DIR": str(tmp_path)}
    done = dpkb_in_process("repro", "DP7", "--torch", "2.4", env=bare)
    assert done.returncode == 2 and "pip install uv" in done.stderr and "Traceback" not in done.stderr


def test_a_python_of_pyenv_is_found_that_is_not_on_the_path(tmp_path, monkeypatch):
    python = tmp_path / "versions" / "3.4.10" / "bin" / "python3.4"
    python.parent.mkdir(parents=True)
    python.write_text("#!/bin/sh\n")
    python.chmod(0o755)
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    assert torch_envs.find_installed_python("3.4") == str(python)
    assert torch_envs.find_installed_python("3.3") is None
