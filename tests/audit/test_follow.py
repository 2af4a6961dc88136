"""Findings that are told while a program still runs."""

import json
import multiprocessing
from pathlib import Path

import pytest

from dpkb.audit.collect import find_reported
from dpkb.audit.follow import FindingsFile, FindingsFollower


def line(entry_id, certainty="certain", number=3, **fields):
    return json.dumps(
        {
            "kind": "finding",
            "id": entry_id,
            "certainty": certainty,
            "message": "seen",
            "fix": "a fix",
            "where": ["train.py", number],
            "rank": 1,
            **fields,
        }
    )


@pytest.fixture
def told():
    return []


@pytest.fixture
def follower(tmp_path, told):
    return FindingsFollower(tmp_path, lambda finding: told.append((finding.id, finding.line)), ignore=["DP9"])


def test_each_finding_is_told_once_and_in_whole_lines_only(tmp_path, follower, told):
    journal = tmp_path / "1-1.jsonl"
    journal.write_text(line("O1") + "\nnot JSON\n" + line("O2")[:20])
    follower.read_new()
    assert told == [("O1", 3)]
    with journal.open("a") as file:
        file.write(line("O2")[20:] + "\n" + line("O1") + "\n" + line("O1", number=4) + "\n")
    follower.read_new()
    follower.read_new()
    assert told == [("O1", 3), ("O2", 3), ("O1", 4)]


def test_of_several_processes_without_hints_and_ignored_entries(tmp_path, follower, told):
    (tmp_path / "1-1.jsonl").write_text(line("O1", "hint") + "\n" + line("DP9") + "\n")
    (tmp_path / "2-1.jsonl").write_text(line("DP1", rank=0) + "\n")
    (tmp_path / "3-1.jsonl").write_text(line("DP1", rank=1) + "\n")
    follower.read_new()
    assert told == [("DP1", 3)]


def test_it_waits_before_it_looks(tmp_path, told):
    (tmp_path / "1-1.jsonl").write_text(line("O1") + "\n")
    FindingsFollower(tmp_path, told.append, wait=60).look()
    assert told == []
    FindingsFollower(tmp_path, told.append).look()
    assert len(told) == 1


def test_the_file_may_be_moved_and_its_place_may_fail(tmp_path, monkeypatch):
    first, second = find_reported([json.loads(line("O1")), json.loads(line("O2"))])
    path = tmp_path / "logs" / "findings.jsonl"
    monkeypatch.chdir(tmp_path)
    file = FindingsFile(Path("logs/findings.jsonl"))
    monkeypatch.chdir("/")
    path.parent.rmdir()
    file.write(first)
    with pytest.raises(FileNotFoundError):
        file.flush()
    path.parent.mkdir()
    file.write(second)
    written = [json.loads(text) for text in path.read_text().splitlines()]
    assert [fields["id"] for fields in written] == ["O1", "O2"]
    assert written[0]["where"]["rank"] == 1 and written[0]["node"]
    path.rename(tmp_path / "rotated.jsonl")
    file.write(first)
    file.write(find_reported([json.loads(line("O1", number=4))])[0])
    assert [json.loads(text)["where"]["line"] for text in path.read_text().splitlines()] == [4], "each once"


def test_a_full_disk_leaves_no_part_of_a_line(tmp_path):
    resource = pytest.importorskip("resource")
    first, second = find_reported([json.loads(line("O1")), json.loads(line("O2"))])
    path = tmp_path / "findings.jsonl"
    file = FindingsFile(path)
    file.write(first)
    size = path.stat().st_size
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 20, limits[1]))
        file.write(second)
        with pytest.raises(OSError, match=r"No space left|too large"):
            file.flush()
        assert path.stat().st_size == size
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    file.flush()
    assert [json.loads(text)["id"] for text in path.read_text().splitlines()] == ["O1", "O2"]


def test_what_waits_for_the_file_of_a_rank_goes_to_no_other(tmp_path):
    zero, one = (find_reported([json.loads(line("O1", number=rank, rank=rank))])[0] for rank in (0, 1))
    file = FindingsFile(tmp_path / "found.jsonl", by_rank=True)
    (tmp_path / "found.jsonl").mkdir()
    file.write(zero)
    file.write(one)
    (tmp_path / "found.jsonl").rmdir()
    file.flush()
    for name, rank in (("found.jsonl", 0), ("found.jsonl.rank1", 1)):
        (text,) = (tmp_path / name).read_text().splitlines()
        assert json.loads(text)["where"]["rank"] == rank


def append_many(path):
    file = FindingsFile(path)
    for number in range(200):
        file.write(*find_reported([json.loads(line("O1", number=number, message="x" * 3000))]))


def test_processes_without_ranks_may_share_a_file(tmp_path):
    path = tmp_path / "found.jsonl"
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        pool.map(append_many, [path] * 8)
    lines = path.read_text().splitlines()
    assert len(lines) == 1600 and {len(json.loads(text)["message"]) for text in lines} == {3000}


def test_a_place_that_cannot_be_written_is_an_error_before_the_run(tmp_path):
    with pytest.raises(IsADirectoryError):
        FindingsFile(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match=r"exists|Not a directory"):
        FindingsFile(tmp_path / "file" / "found.jsonl")


def test_each_rank_has_a_file_of_its_own_if_each_writes(tmp_path):
    for number, rank in enumerate((None, 0, 3)):
        (finding,) = find_reported([json.loads(line("O1", number=number, rank=rank))])
        FindingsFile(tmp_path / "found.jsonl", by_rank=True).write(finding)
    lines = {path.name: len(path.read_text().splitlines()) for path in tmp_path.iterdir()}
    assert lines == {"found.jsonl": 2, "found.jsonl.rank3": 1}
