"""Findings that are told while a program still runs."""

import json

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


def test_the_file_may_be_moved_and_its_place_may_fail(tmp_path):
    first, second = find_reported([json.loads(line("O1")), json.loads(line("O2"))])
    path = tmp_path / "logs" / "findings.jsonl"
    file = FindingsFile(path)
    file.write(first)
    assert isinstance(file.error, FileNotFoundError)
    path.parent.mkdir()
    file.write(second)
    assert file.error is None
    written = [json.loads(text) for text in path.read_text().splitlines()]
    assert [fields["id"] for fields in written] == ["O1", "O2"]
    assert written[0]["where"]["rank"] == 1 and written[0]["node"]
    path.rename(tmp_path / "rotated.jsonl")
    file.write(first)
    assert len(path.read_text().splitlines()) == 1


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
        assert file.error is not None and path.stat().st_size == size
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    file.write(first)
    assert file.error is None
    assert [json.loads(text)["id"] for text in path.read_text().splitlines()] == ["O1", "O2", "O1"]


def test_each_rank_has_a_file_of_its_own_if_each_writes(tmp_path):
    for number, rank in enumerate((None, 0, 3)):
        (finding,) = find_reported([json.loads(line("O1", number=number, rank=rank))])
        FindingsFile(tmp_path / "found.jsonl", by_rank=True).write(finding)
    lines = {path.name: len(path.read_text().splitlines()) for path in tmp_path.iterdir()}
    assert lines == {"found.jsonl": 2, "found.jsonl.rank3": 1}
