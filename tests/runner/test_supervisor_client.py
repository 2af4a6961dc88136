"""dpkb's side of the protocol with a supervisor; the test plays the supervisor."""

import json
import signal
import socket
import subprocess
import sys
import threading

import pytest

from dpkb.errors import Stopped
from dpkb.runner import supervisor_client
from dpkb.runner.confinement import Confinement
from dpkb.runner.scratch import run_folders
from dpkb.runner.supervisor_client import StartRefused, SupervisedProcess, build_request, start_fork

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="scripts are supervised on Linux only")
NOBODY = 2**22 + 1  # higher than any pid of the kernel


@pytest.fixture
def ends(monkeypatch):
    monkeypatch.setattr(supervisor_client, "START_SECONDS", 0.3)
    monkeypatch.setattr(supervisor_client, "END_SECONDS", 0.1)
    ours, theirs = socket.socketpair()
    theirs.settimeout(10)
    yield ours, theirs
    ours.close()
    theirs.close()


def started(ends, *lines, pid=NOBODY):
    """A script whose supervisor, the process with this pid, has said these lines."""
    ends[1].sendall("".join(f"{line}\n" for line in (f"started {pid}", *lines)).encode())
    return SupervisedProcess(ends[0], {"argv": ["x"]}, threading.Event())


def test_a_script_is_requested_in_one_line_and_started(ends):
    assert started(ends).pid == NOBODY
    assert json.loads(ends[1].makefile().readline()) == {"argv": ["x"]}


@pytest.mark.parametrize(("status", "code"), [(0, 0), (3 << 8, 3), (int(signal.SIGKILL), -9)])
def test_a_script_ends_with_an_exit_code_or_a_signal(ends, status, code):
    script = started(ends)
    assert script.wait_for_end(0.01) is None
    ends[1].sendall(f"ended {status}\n".encode())
    assert script.wait_for_end(5) == code and script.wait_for_end(0) == code, "it is remembered"


def test_an_answer_may_arrive_in_pieces(ends):
    script = started(ends)
    for piece in (b"en", b"ded 25", b"6\nended 0\n"):
        assert script.wait_for_end(0.01) is None
        ends[1].sendall(piece)
    assert script.wait_for_end(5) == 1


def test_a_refused_start_has_the_reason(ends):
    ends[1].sendall(b"refused No space left on device\n")
    with pytest.raises(StartRefused, match=r"^No space left on device$"):
        SupervisedProcess(ends[0], {}, threading.Event())
    assert ends[0].fileno() == -1, "the connection is closed"


def test_a_supervisor_that_ends_or_is_silent_is_reported(ends):
    with pytest.raises(StartRefused, match="does not answer"):
        SupervisedProcess(ends[0], {}, threading.Event())
    ours, theirs = socket.socketpair()
    theirs.close()
    with pytest.raises(StartRefused, match="its supervisor ended early"):
        SupervisedProcess(ours, {}, threading.Event())


def test_a_request_to_stop_ends_the_waiting(ends):
    stop = threading.Event()
    stop.set()
    with pytest.raises(Stopped):
        SupervisedProcess(ends[0], {}, stop)


def test_a_supervisor_that_was_killed_is_a_lost_connection(ends):
    script = started(ends)
    ends[1].recv(4096)
    ends[1].close()
    with pytest.raises(ConnectionError, match="supervisor of the script was ended"):
        script.wait_for_end(5)
    script.end_all()  # raises nothing, although nothing answers


def test_ending_all_asks_the_supervisor_and_closes_the_connection(ends):
    script = started(ends, "ended 0", "gone")
    script.end_all()
    assert ends[1].makefile().read().endswith("\nend\n"), "asked, and then the connection is closed"


def test_end_all_waits_until_all_processes_are_gone(ends, monkeypatch):
    monkeypatch.setattr(supervisor_client, "END_SECONDS", 60)
    script, said = started(ends, "ended 0"), []

    def is_gone():
        said.append("gone")
        ends[1].sendall(b"gone\n")

    later = threading.Timer(0.05, is_gone)
    later.start()
    script.end_all()
    assert said == ["gone"]


def test_a_supervisor_that_does_not_answer_is_killed(ends):
    with subprocess.Popen(["sleep", "300"]) as process:
        try:
            started(ends, pid=process.pid).end_all()
            assert process.wait(10) == -signal.SIGKILL
        finally:
            process.kill()


def test_a_fork_server_that_has_ended_is_a_refused_start(tmp_path):
    with pytest.raises(StartRefused, match="the process that forks for each script is gone"):
        start_fork(str(tmp_path / "socket"), {}, threading.Event())


def test_a_request_is_plain_json():
    confinement = Confinement(active=True, user=True)
    with run_folders() as folders:
        asked = build_request(["python", "x.py"], {"A": "b"}, folders, confinement, 64, 1 << 20)
        paths = {str(path) for path in folders.writable}
    assert json.loads(json.dumps(asked)) == {
        **asked,
        "confinement": {"active": True, "user": True},
    }
    assert paths <= {value for value in asked["folders"].values() if value}
    assert (asked["open_files"], asked["shm_bytes"]) == (64, 1 << 20)
