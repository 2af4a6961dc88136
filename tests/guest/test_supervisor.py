"""A supervisor as a program; the test plays dpkb: its messages, and that no process is left."""

import json
import os
import socket
import subprocess
import sys

import psutil
import pytest
from support import ROOT, refuse_prctl
from support.waiting import wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="scripts are supervised on Linux only")


class Supervisor:
    """A supervisor and the other end of its socket."""

    def __init__(self, folder, *argv, run_under=(), **folders):
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(60)
        paths = {name: str(folder / name) for name in ("work", "home", "hosts", "stdout", "stderr")}
        request = {
            "argv": argv,
            "env": {"PATH": os.environ["PATH"]},
            "open_files": 64,
            "shm_bytes": 0,
            "confinement": {"active": False, "user": False},
            "folders": {**paths, "spool": None, **folders},
        }
        file = folder / "request"
        file.write_text(json.dumps(request))
        supervisor = [sys.executable, "-I", "-S", str(ROOT / "dpkb" / "guest" / "supervisor.py"), str(file)]
        with theirs, open(paths["stdout"], "a") as out, open(paths["stderr"], "a") as err:
            self.process = subprocess.Popen(
                [*run_under, *supervisor], stdin=theirs, stdout=out, stderr=err, start_new_session=True
            )

    def ask_to_end(self):
        self.socket.shutdown(socket.SHUT_WR)

    def heard(self):
        return self.socket.recv(4096).decode().split(" ", 1)


@pytest.fixture
def supervise(tmp_path):
    (tmp_path / "work").mkdir()
    for name in ("stdout", "stderr"):
        (tmp_path / name).touch()
    started = []

    def start(*argv, **options):
        started.append(Supervisor(tmp_path, *argv, **options))
        return started[-1]

    yield start
    for one in started:
        one.socket.close()
        one.process.wait(60)


def test_a_script_is_started_in_its_folder_and_its_end_is_reported(supervise, tmp_path):
    one = supervise("/bin/sh", "-c", "pwd; ulimit -n; cat /proc/self/oom_score_adj; echo no >&2; exit 3")
    assert one.heard() == ["started", str(one.process.pid)]
    assert one.heard() == ["ended", str(3 << 8)]
    one.ask_to_end()
    assert one.heard() == [""] and one.process.wait(60) == 0
    assert (tmp_path / "stdout").read_text().split() == [str(tmp_path / "work"), "64", "1000"]
    assert (tmp_path / "stderr").read_text() == "no\n"


def orphan_of(one, tmp_path):
    """The process that a script leaves behind, which belongs to the supervisor then."""
    wait_until(lambda: (tmp_path / "stdout").read_text().endswith("\n"))
    return psutil.Process(int((tmp_path / "stdout").read_text()))


LEAVES = ("/bin/sh", "-c", "setsid sleep 600 & echo $!")


def test_no_process_is_left_when_the_end_is_asked_for(supervise, tmp_path):
    one = supervise(*LEAVES)
    assert [one.heard()[0], one.heard()[0]] == ["started", "ended"]
    left = orphan_of(one, tmp_path)
    assert left.is_running()
    one.ask_to_end()
    assert one.heard() == [""] and not psutil.pid_exists(left.pid)


def test_no_process_is_left_when_dpkb_has_ended(supervise, tmp_path):
    one = supervise(*LEAVES)
    assert [one.heard()[0], one.heard()[0]] == ["started", "ended"]
    left = orphan_of(one, tmp_path)
    one.socket.shutdown(socket.SHUT_RDWR)
    assert one.process.wait(60) == 0 and not psutil.pid_exists(left.pid)


def test_a_script_that_cannot_be_started_has_the_reason(supervise, tmp_path):
    one = supervise("/no/such/program")
    assert one.heard()[0] == "started" and one.heard() == ["ended", str(127 << 8)]
    assert (tmp_path / "stderr").read_text() == (
        "/no/such/program: cannot be started: No such file or directory\n"
    )
    other = supervise("/bin/true", work=str(tmp_path / "missing"))
    assert [other.heard()[0], other.heard()] == ["started", ["refused", "No such file or directory"]]
    other.ask_to_end()
    assert other.process.wait(60) == 0


@pytest.mark.skipif(not refuse_prctl.AVAILABLE, reason="needs a filter of system calls")
@pytest.mark.parametrize("option", [36, 1, 38])
def test_a_script_that_would_keep_its_privileges_is_not_started(supervise, tmp_path, option):
    one = supervise(
        "/bin/sh", "-c", "echo started", run_under=(sys.executable, refuse_prctl.__file__, str(option))
    )
    assert one.heard()[0] == "started"
    assert one.heard() == ["refused", f"prctl option {option}: Operation not permitted"]
    one.ask_to_end()
    assert one.process.wait(60) == 0
    assert (tmp_path / "stdout").read_text() == (tmp_path / "stderr").read_text() == ""
