"""The processes below a process, and the loop that ends them."""

import os
import subprocess
import sys

import pytest
from support.waiting import wait_until

from dpkb.guest import processes

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are listed by /proc")


@pytest.fixture
def parent():
    """A shell with two children, one of them with a child."""
    script = "sleep 60 & sh -c 'sleep 60 & echo ready; wait' & wait"
    with subprocess.Popen(["sh", "-c", script], stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"ready\n"
        yield process.pid
        for pid in [process.pid, *processes.find_descendants(process.pid)]:
            os.kill(pid, 9)


def test_descendants_are_the_whole_tree_below_a_process(parent):
    below = processes.find_children(parent)
    assert len(below) == 2 and set(below) < set(processes.find_descendants(parent))
    # A shell prints "ready" before its child has called exec.
    wait_until(
        lambda: (
            [processes.read_command_line(pid) for pid in processes.find_descendants(parent)].count(
                b"sleep\x0060\0"
            )
            == 2
        )
    )
    assert len(processes.find_descendants(parent)) == 3


def test_a_process_that_gets_a_new_parent_meanwhile_counts_once(monkeypatch):
    """The script 3 ends after its children were listed, so they become children of process 2."""
    children = {1: [2, 3], 3: [4, 5], 2: [4, 5]}
    monkeypatch.setattr(processes, "find_children", lambda pid: children.get(pid, []))
    assert sorted(processes.find_descendants(1)) == [2, 3, 4, 5]


def test_a_process_that_has_ended_has_no_children_and_no_command_line():
    gone = subprocess.Popen(["true"])
    gone.wait()
    assert (processes.find_children(gone.pid), processes.find_descendants(gone.pid)) == ([], [])
    assert processes.read_command_line(gone.pid) == b""


def test_reap_returns_the_statuses_of_ended_children():
    code = (
        "import os, sys; sys.path.insert(0, sys.argv[1]); import processes\n"
        "pids = [os.spawnlp(os.P_NOWAIT, 'sh', 'sh', '-c', 'exit %d' % n) for n in (0, 3)]\n"
        "found = {}\n"
        "while len(found) < 2: found.update(processes.reap())\n"
        "print([os.WEXITSTATUS(found[pid]) for pid in pids], processes.reap())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, os.path.dirname(processes.__file__)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout == "[0, 3] {}\n"


@pytest.fixture
def killed(monkeypatch):
    """end_all over these processes, which are gone when they are killed: the pids that were, in order."""

    def end(alive, lines=lambda pid: b"", stubborn=()):
        sent, now = [], [0.0]

        def kill(pid, number):
            sent.append(pid)
            if pid not in stubborn:
                alive.discard(pid)

        def sleep(seconds):
            now[0] += max(seconds, 0.5)

        monkeypatch.setattr(processes.os, "kill", kill)
        monkeypatch.setattr(processes.time, "sleep", sleep)
        monkeypatch.setattr(processes.time, "monotonic", lambda: now[0])
        monkeypatch.setattr(processes, "read_command_line", lines)
        processes.end_all(lambda: sorted(alive))
        return sent, now[0]

    return end


def test_end_all_kills_until_no_process_is_left(killed):
    assert killed({2, 3}) == ([2, 3], 0.5)
    assert killed(set()) == ([], 0.0)


def test_cleaners_get_some_seconds_to_finish(killed):
    def lines(pid):
        return b"python\0-c\0from multiprocessing.resource_tracker import main" if pid == 3 else b"python"

    sent, seconds = killed({2, 3}, lines)
    assert sent == [2, 3] and processes.CLEANER_SECONDS <= seconds < processes.CLEANER_SECONDS + 2


def test_end_all_gives_up_on_a_process_inside_the_kernel(killed):
    sent, seconds = killed({2}, stubborn={2})
    assert set(sent) == {2} and processes.GIVE_UP_SECONDS < seconds < processes.GIVE_UP_SECONDS + 2


def test_a_process_that_ends_meanwhile_raises_nothing(monkeypatch):
    left = [[2], []]
    monkeypatch.setattr(processes.time, "sleep", lambda seconds: None)

    def gone(pid, number):
        raise ProcessLookupError

    monkeypatch.setattr(processes.os, "kill", gone)
    monkeypatch.setattr(processes, "read_command_line", lambda pid: b"")
    processes.end_all(lambda: left.pop(0))
    assert left == []
