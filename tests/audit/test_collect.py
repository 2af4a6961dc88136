"""The findings from the journals of several processes."""

import json

import pytest

from dpkb.audit.collect import collect


@pytest.fixture
def journals(tmp_path):
    """journals(pid, *lines) writes the journal of one process, journals.result() joins all."""

    class Journals:
        def __call__(self, pid, *lines, cut=""):
            first = {"kind": "process", "pid": pid, "python": "3.11.7", "torch": "2.4.1"}
            text = "".join(json.dumps({"pid": pid, **line}) + "\n" for line in (first, *lines))
            (tmp_path / f"{pid}-1.jsonl").write_text(text + cut)

        def result(self, **options):
            return collect(tmp_path, **options)

    return Journals()


def finding(name="DP1", certainty="likely", where=("/train.py", 7), **more):
    return {
        "kind": "finding",
        "id": name,
        "certainty": certainty,
        "message": f"seen {certainty}",
        "fix": "a fix",
        "where": where,
        "step": 3,
        **more,
    }


def test_one_line_is_one_finding_however_many_processes_saw_it(journals):
    journals(1, finding(rank=0))
    journals(2, finding(rank=1, certainty="certain"), finding(rank=1, where=("/train.py", 9)))
    first, second = journals.result().findings
    assert (first.line, first.certainty, first.message) == (7, "certain", "seen certain")
    assert first.seen_in == ("rank 0", "rank 1") and second.line == 9
    assert (first.rank, first.worker, first.step) == (1, None, 3), "of the process that is surest"


def test_the_surest_comes_first_and_hints_only_when_asked_for(journals):
    journals(1, finding("DP1", "hint"), finding("DP2", "likely"), finding("DP3", "certain"))
    assert [one.id for one in journals.result().findings] == ["DP3", "DP2"]
    assert journals.result().hints == 1
    assert [one.id for one in journals.result(hints=True).findings] == ["DP3", "DP2", "DP1"]


def test_a_comment_and_an_option_silence(journals, tmp_path):
    program = tmp_path / "train.py"
    program.write_text("step()  # dpkb: ignore[DP1]\nstep()\n")
    journals(1, finding("DP1", where=(str(program), 1)), finding("DP2", where=(str(program), 2)))
    result = journals.result()
    assert ([one.id for one in result.findings], result.silenced) == (["DP2"], 1)
    result = journals.result(ignore=["DP2"])
    assert (result.findings, result.silenced) == ([], 2) and "DP2" not in result.watched


def test_a_process_whose_audit_could_not_begin_was_not_watched(journals, tmp_path):
    (tmp_path / "2-failed.jsonl").write_text(
        json.dumps({"kind": "failure", "message": "the audit could not begin", "traceback": "…"}) + "\n"
    )
    result = journals.result()
    assert (result.processes, result.failed_checks) == ([], [("the audit could not begin", "…")])


def test_a_journal_that_was_cut_keeps_its_whole_lines(journals):
    journals(1, finding(), cut='{"kind": "finding", "id": "DP2", "cert')
    journals(2, cut="\x00\xff[]\nnull\n")
    result = journals.result()
    assert [one.id for one in result.findings] == ["DP1"] and len(result.processes) == 2


def test_processes_say_what_they_are_and_what_they_counted(journals):
    journals(
        1,
        {"kind": "counts", "counts": {"batches": 1}, "rank": 0},
        {"kind": "counts", "counts": {"batches": 5}, "rank": 0},
        {"kind": "end", "seconds": 9.5, "looked": 0.1, "rank": 0},
    )
    journals(2, {"kind": "began", "worker": 1})
    one, two = journals.result().processes
    assert (one.rank, one.counts, one.seconds, one.audit_seconds) == (0, {"batches": 5}, 9.5, 0.1)
    assert (two.worker, two.counts, two.seconds) == (1, {}, None), "it was killed"


def test_a_loader_is_as_it_was_written_last_with_its_largest_worker(journals):
    loader = {
        "kind": "loader",
        "number": 0,
        "where": ["/train.py", 4],
        "rank": None,
        "workers": 2,
        "prefetch": 2,
        "worker_pids": [2, 3],
        "batch_tensors": 2,
        "trained": True,
        "evaluated": False,
    }
    journals(
        1,
        {**loader, "batch_bytes": 0},
        {**loader, "batch_bytes": 4096},
        {**loader, "number": 1, "batch_bytes": 0},
    )
    for pid, size in ((2, 100), (3, 300)):
        journals(pid, {"kind": "worker", "private_bytes": size})
    [known] = journals.result().loaders
    assert (known.file, known.line, known.batch_bytes, known.worker_bytes) == ("/train.py", 4, 4096, 300)


def test_a_failed_check_is_reported_once_and_ends_nothing(journals):
    failed = {"kind": "failure", "message": "the check of DP1 failed", "traceback": "Traceback…"}
    journals(1, failed, finding("DP2"))
    journals(2, failed)
    result = journals.result()
    assert result.failed_checks == [("the check of DP1 failed", "Traceback…")]
    assert [one.id for one in result.findings] == ["DP2"]


def test_a_comparison_that_raises_is_reported_too(journals):
    journals(1, {"kind": "fact", "id": "DP7", "fact": {"nonsense": 1}}, finding("DP2"))
    result = journals.result()
    assert [what for what, _ in result.failed_checks] == ["the comparison of DP7 failed"]
    assert [one.id for one in result.findings] == ["DP2"]
