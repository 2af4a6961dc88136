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


def test_the_files_of_a_journal_can_be_closed_and_nothing_keeps_it(tmp_path, monkeypatch):
    closed, close = [], os.close
    monkeypatch.setattr("dpkb_audit.journal.os.close", lambda file: (closed.append(file), close(file)))
    journal = Journal(str(tmp_path))
    journal.close()
    assert closed == []
    journal.write("counts")
    journal.trace("DP1", b"x")
    journal.close()
    journal.close()
    assert len(closed) == 2
    reference = weakref.ref(journal)
    del journal
    assert reference() is None, "the function that is called after a fork must not keep it"


def test_a_full_disk_ends_the_journal_and_not_the_program(tmp_path, monkeypatch):
    journal = Journal(str(tmp_path))
    journal.write("counts")
    calls = []

    def full(*_):
        calls.append(1)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("dpkb_audit.journal.os.write", full)
    for _ in range(3):
        journal.write("finding")
        journal.trace("DP1", b"x")
    assert len(calls) == 1


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
