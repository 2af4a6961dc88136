"""The journal of a process: its lines survive a kill, its size is bounded, each process has its own."""

import errno
import json
import os
import subprocess
import sys
import weakref

import dpkb_audit
import pytest
from dpkb_audit.journal import Journal

FOLDER = os.path.dirname(os.path.dirname(dpkb_audit.__file__))


def lines(folder):
    return {
        path.name: [json.loads(line) for line in path.read_text().splitlines()]
        for path in sorted(folder.glob("*.jsonl"))
    }


def test_each_line_is_written_at_once_and_the_first_names_the_process(tmp_path):
    journal = Journal(str(tmp_path))
    assert lines(tmp_path) == {}, "a process that has nothing to say leaves no file"
    journal.write("counts", counts={"batches": 3}, where=tmp_path)
    [(process, counts)] = lines(tmp_path).values()
    assert process["kind"] == "process" and process["pid"] == os.getpid()
    assert counts == {"kind": "counts", "counts": {"batches": 3}, "where": str(tmp_path)}


def test_a_long_journal_keeps_findings_only_and_says_once_that_facts_are_left_out(tmp_path, monkeypatch):
    monkeypatch.setattr("dpkb_audit.journal._MAX_BYTES", 500)
    monkeypatch.setattr("sys.argv", ["train.py"])  # the first line has them
    journal = Journal(str(tmp_path))
    for number in range(100):
        journal.write("fact", number=number)
    for kind in ("finding", "failure", "counts", "left_out", "end"):
        journal.write(kind)
    [(_, *facts)] = lines(tmp_path).values()
    kinds = [fact["kind"] for fact in facts]
    count = kinds.count("fact")
    assert 5 < count < 30 and kinds[count:] == ["left_out", "finding", "failure", "counts", "left_out", "end"]
    assert facts[count]["area"] == "facts after the first 4 MB of a process"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_has_a_journal_and_traces_of_its_own(tmp_path):
    journal = Journal(str(tmp_path))
    journal.write("counts", of="parent")
    journal.trace("DP1", b"p")
    pid = os.fork()
    if pid == 0:
        journal.write("counts", of="child")
        journal.trace("DP1", b"c")
        os._exit(0)
    os.waitpid(pid, 0)
    journal.trace("DP1", b"p")
    traces = {path.name.split("-")[0]: path.read_bytes() for path in tmp_path.glob("*.trace")}
    assert traces == {str(os.getpid()): b"pp", str(pid): b"c"}
    assert sorted(rows[1]["of"] for rows in lines(tmp_path).values()) == ["child", "parent"]


def test_no_descriptor_stays_open_and_nothing_keeps_a_journal(tmp_path):
    before = os.listdir("/proc/self/fd")
    journal = Journal(str(tmp_path))
    journal.write("counts")
    journal.trace("DP1", b"x")
    assert os.listdir("/proc/self/fd") == before
    reference = weakref.ref(journal)
    del journal
    assert reference() is None


def test_what_cannot_be_written_is_written_later(tmp_path, monkeypatch):
    journal = Journal(str(tmp_path))
    journal.write("counts")

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("dpkb_audit.journal.os.write", full)
        journal.write("finding")
        journal.trace("DP1", b"x")
    journal.write("end")
    journal.trace("DP1", b"y")
    ((_, *facts),) = lines(tmp_path).values()
    assert [fact["kind"] for fact in facts] == ["counts", "finding", "end"]
    assert next(tmp_path.glob("*.trace")).read_bytes() == b"xy"


def test_a_limit_of_the_size_of_files_does_not_end_the_process(tmp_path):
    program = f"""
import resource, signal
from dpkb_audit.journal import Journal
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
Journal({str(tmp_path)!r}).write("finding", text="x" * 500)
"""
    environment = {**os.environ, "PYTHONPATH": FOLDER}
    assert subprocess.run([sys.executable, "-c", program], env=environment, check=False).returncode == 0


def test_a_journal_whose_folder_is_gone_keeps_little(tmp_path, monkeypatch):
    monkeypatch.setattr("dpkb_audit.journal._MAX_WAITING", 500)
    journal = Journal(str(tmp_path / "gone"))
    for _ in range(100):
        journal.write("finding", text="x" * 50)
    assert len(journal._waiting["jsonl"]) == 500


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.parametrize("is_open", [True, False])
def test_a_fork_after_a_full_disk_prints_nothing(tmp_path, is_open):
    program = f"""
import errno, os
from dpkb_audit.journal import Journal
journal = Journal({str(tmp_path)!r})
if {is_open}:
    journal.write("counts")
def full(*_): raise OSError(errno.ENOSPC, "No space left on device")
write, os.write = os.write, full
journal.write("finding")
journal.trace("DP1", b"x")
os.write = write
pid = os.fork()
if pid == 0:
    journal.write("counts", of="child")
    os._exit(0)
os.waitpid(pid, 0)
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": FOLDER},
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("", "")
    assert any(row.get("of") == "child" for rows in lines(tmp_path).values() for row in rows)
