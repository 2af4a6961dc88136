"""dpkb's side of the protocol with a supervisor; the test plays the supervisor."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from dpkb.runner import supervisor_client
from dpkb.runner.confinement import Confinement
from dpkb.runner.scratch import run_folders
from dpkb.runner.supervisor_client import StartRefused, SupervisedProcess, start_program

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="scripts are supervised on Linux only")
NOBODY = 2**22 + 1  # higher than any pid of the kernel


def connect():
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


@pytest.fixture
def ends(monkeypatch):
    monkeypatch.setattr(supervisor_client, "END_SECONDS", 0.1)
    ours, theirs = connect()
    theirs.settimeout(10)
    yield ours, theirs
    ours.close()
    theirs.close()


def started(ends, *messages, pid=NOBODY):
    """A script whose supervisor, the process with this pid, has sent these messages."""
    for message in (f"started {pid}", *messages):
        ends[1].send(message.encode())
    script = SupervisedProcess(ends[0])
    assert script.wait_for_end(5) is None and script.pid == pid
    return script


@pytest.mark.parametrize(("status", "code"), [(0, 0), (3 << 8, 3), (int(signal.SIGKILL), -9)])
def test_a_script_ends_with_an_exit_code_or_a_signal(ends, status, code):
    script = started(ends)
    assert script.pid == NOBODY and script.wait_for_end(0.01) is None
    ends[1].send(f"ended {status}".encode())
    assert script.wait_for_end(5) == code and script.wait_for_end(0) == code, "it is remembered"


def test_a_script_that_has_ended_at_once_has_its_code(ends):
    assert started(ends, "ended 256").wait_for_end(5) == 1


def test_a_refused_start_has_the_reason(ends):
    ends[1].send(b"refused No space left on device")
    with pytest.raises(StartRefused, match=r"^No space left on device$"):
        SupervisedProcess(ends[0]).wait_for_end(5)


def test_a_supervisor_that_has_not_started_is_below_no_process(ends):
    script = SupervisedProcess(ends[0])
    assert script.wait_for_end(0.01) is None and script.pid == 0
    script.end_all()  # kills nothing
    assert ends[0].fileno() == -1, "the connection is closed"


def test_a_supervisor_that_was_killed_is_a_lost_connection(ends):
    script = started(ends)
    ends[1].close()
    with pytest.raises(ConnectionError, match="supervisor of the script was ended"):
        script.wait_for_end(5)
    script.end_all()  # raises nothing, although nothing answers


def test_ending_all_asks_the_supervisor_and_waits_until_it_has_ended(ends, monkeypatch):
    monkeypatch.setattr(supervisor_client, "END_SECONDS", 60)
    script, said = started(ends, "ended 0"), []

    def end():
        said.append(ends[1].recv(4096))
        ends[1].close()

    later = threading.Timer(0.05, end)
    later.start()
    script.end_all()
    assert said == [b""] and ends[0].fileno() == -1, "asked by an end of what it reads"


def test_a_supervisor_that_does_not_answer_is_killed(ends):
    with subprocess.Popen(["sleep", "300"]) as process:
        try:
            started(ends, pid=process.pid).end_all()
            assert process.wait(10) == -signal.SIGKILL
        finally:
            process.kill()


def test_a_fork_server_gets_the_request_and_a_connection():
    ours, theirs = connect()
    confinement = Confinement(active=True, user=True)
    with ours, theirs, run_folders() as folders:
        asked = {}

        def serve_one():
            file, (connection, *outputs), *_ = socket.recv_fds(theirs, 4096, 3)
            asked.update(json.loads(Path(os.fsdecode(file)).read_text()))
            for output in outputs:
                os.write(output, b"said")
                os.close(output)
            with socket.socket(fileno=connection) as connected:
                connected.send(b"started 5")

        server = threading.Thread(target=serve_one)
        server.start()
        script = start_program(["python", "x.py"], {"A": "b"}, folders, confinement, 64, 1 << 20, ours)
        server.join()
        assert script.wait_for_end(5) is None
        script.end_all()
        assert folders.stdout.read_bytes() == folders.stderr.read_bytes() == b"said"
        paths = {str(path) for path in folders.writable}
    assert script.pid == 5 and (asked["argv"], asked["env"]) == (["python", "x.py"], {"A": "b"})
    assert asked["confinement"] == {"active": True, "user": True}
    assert paths <= {value for value in asked["folders"].values() if value}
    assert (asked["open_files"], asked["shm_bytes"]) == (64, 1 << 20)


def test_a_fork_server_that_has_ended_is_a_refused_start():
    ours, theirs = connect()
    theirs.close()
    with ours, run_folders() as folders, pytest.raises(StartRefused, match="the process that forks"):
        start_program(["x"], {}, folders, Confinement(), fork_server=ours)
