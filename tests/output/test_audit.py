"""The report of an audit as text and as JSON."""

import json
from dataclasses import replace

import pytest

from dpkb.audit.compare import Comparison
from dpkb.audit.result import AuditedProcess, AuditFinding, AuditResult, Difference, TraceComparison
from dpkb.errors import ExitCode
from dpkb.model import Certainty
from dpkb.output.audit import (
    audit_fields,
    render_audit,
    render_audit_heading,
    render_comparison,
    render_trace_comparison,
    strip_report,
)

PROCESS = AuditedProcess(7, "3.11.7", "2.4.1", None, None, {"optimizer steps": 4, "batches": 1})
NOTHING = AuditResult([], 0, [PROCESS], [], {"DP1": "draws", "O1": "steps"}, [], [])
FINDING = AuditFinding(
    "DP1", Certainty.CERTAIN, "two workers drew the same numbers", "seed them", "train.py", 9
)


def shown(result=NOTHING, width=100, colour=False):
    return render_audit(result, {"DP1": "Workers repeat their numbers"}, width, colour).splitlines()


def with_finding(**more):
    return shown(replace(NOTHING, findings=[replace(FINDING, **more)]))


def test_a_finding_is_followed_by_what_was_watched():
    assert with_finding() == [
        "DP1 certain: Workers repeat their numbers",
        "    seen: two workers drew the same numbers",
        "    where: train.py:9",
        "    fix: seed them",
        "    more: dpkb show DP1",
        "",
        "1 finding.",
        "watched: 1 process with torch, 0 workers, 4 optimizer steps, 1 batch; checks for 2 entries.",
    ]


@pytest.mark.parametrize(
    ("more", "where"),
    [
        ({"seen_in": ("rank 0",)}, "where: train.py:9 (rank 0)"),
        (
            {"seen_in": tuple(f"rank {n}" for n in range(6))},
            "where: train.py:9 (rank 0, rank 1, rank 2, rank 3 and 2 more)",
        ),
        ({"file": None, "line": None, "seen_in": ("rank 0", "rank 1")}, "where: rank 0, rank 1"),
        ({"file": "a\x1b.py"}, "where: a\\x1b.py:9"),
    ],
)
def test_a_finding_says_where_it_was_seen(more, where):
    assert f"    {where}" in with_finding(**more)


def test_findings_that_differ_only_in_their_lines_share_a_paragraph():
    others = [replace(FINDING, line=12), replace(FINDING, line=14, message="three workers did")]
    lines = shown(replace(NOTHING, findings=[FINDING, *others]))
    assert lines[2:4] == ["    where: train.py:9", "    where: train.py:12"]
    assert "    seen: three workers did" in lines and "2 findings." in lines


def test_a_finding_without_a_place_has_no_line_for_it():
    assert not any("where" in line for line in with_finding(file=None, line=None))


def test_a_command_without_torch_is_reported_as_not_watched():
    (line,) = shown(replace(NOTHING, processes=[]), width=400)
    assert line.startswith("nothing was watched: no process of the command imported torch.")


def test_an_audit_that_could_not_begin_says_so_and_not_that_torch_was_not_imported():
    failed = [("the audit could not begin", "Traceback\nValueError: no number")]
    lines = shown(replace(NOTHING, processes=[], failed_checks=failed), width=400)
    assert lines[-1].endswith("the audit could not begin: ValueError: no number")
    assert not any("imported torch" in line for line in lines)


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ({}, "nothing found."),
        (
            {"processes": [replace(PROCESS, counts={})]},
            "no optimizer step was seen, so the checks of training had nothing to watch.",
        ),
        ({"unwatched_parts": ["pictures, without PIL"]}, "not watched: pictures, without PIL."),
        ({"silenced": 2}, "2 silenced by comments or --ignore."),
        ({"hints": 1}, "1 hint not shown: --hints."),
        (
            {"failed_checks": [("the check of DP1 ended", "Traceback\n  x\nKeyError: 'a'\n")]},
            "a bug in dpkb, which did not change your program: the check of DP1 ended: KeyError: 'a'",
        ),
        (
            {"failed_checks": [("the check of DP1 ended", " ")]},
            "a bug in dpkb, which did not change your program: the check of DP1 ended:",
        ),
    ],
)
def test_the_summary_names_everything_that_was_left_out(more, line):
    assert line in [one.rstrip() for one in shown(replace(NOTHING, **more))]


def test_steps_are_those_of_one_process_and_workers_are_counted_apart():
    processes = [
        PROCESS,
        replace(PROCESS, counts={"optimizer steps": 6, "batches": 2}),
        replace(PROCESS, worker=0, counts={"batches": 50}),
    ]
    assert (
        "watched: 2 processes with torch, 1 worker, 6 optimizer steps, 2 batches in one process; checks "
        "for 2 entries." in shown(replace(NOTHING, processes=processes), width=120)
    )


def test_no_line_is_wider_than_the_window():
    wide = replace(FINDING, message="word " * 60, fix="word " * 60)
    lines = shown(replace(NOTHING, findings=[wide]), width=60)
    assert max(map(len, lines)) <= 60 and sum(line.count("word") for line in lines) == 120


def test_colour_is_only_where_it_is_wanted():
    result = replace(NOTHING, findings=[FINDING])
    assert shown(result, colour=True)[0].startswith("\x1b[1mDP1 certain\x1b[0m")


@pytest.mark.parametrize(
    ("program", "notes"),
    [
        ("one\ntwo\n", ""),
        ("one\n", "dpkb: a note\ndpkb: another\n"),
        ("one\ndpkb: of the program\ntwo\n", ""),
        (render_audit_heading("train.py", "of the program") + "x\n", "dpkb: a note\n"),
        ("", ""),
    ],
)
def test_strip_report_leaves_the_output_of_the_program(program, notes):
    report = render_audit_heading("python", "ended with code 0") + "\n" + "\n".join(shown())
    assert strip_report(program + notes + report) == program


def test_without_a_report_strip_report_leaves_nothing():
    assert strip_report("") == ""


@pytest.mark.parametrize(
    ("compared", "lines"),
    [
        (Comparison(["DP1"], ["O1", "O2"], []), ["gone: DP1", "remaining: O1, O2"]),
        (Comparison([], [], []), ["nothing was found in either"]),
        (Comparison([], [], ["N3"]), ["new: N3"]),
    ],
)
def test_a_comparison_lists_what_is_gone_remaining_and_new(compared, lines):
    assert render_comparison(compared).splitlines() == ["compared with the earlier audit:", *lines]


def test_json_has_every_field():
    result = replace(NOTHING, findings=[FINDING], failed_checks=[("a check", "Traceback")])
    fields = audit_fields(result, {}, 3)
    assert fields["exit_code"] == 3 and "compared" not in fields
    assert fields["findings"] == [
        {
            "id": "DP1",
            "title": None,
            "certainty": "certain",
            "message": FINDING.message,
            "where": {
                "file": "train.py",
                "line": 9,
                "rank": None,
                "worker": None,
                "seen_in": [],
                "step": None,
            },
            "evidence": {},
            "fix": "seed them",
            "help": "dpkb show DP1",
        }
    ]
    assert fields["processes"] == [
        {
            "pid": 7,
            "python": "3.11.7",
            "torch": "2.4.1",
            "rank": None,
            "worker": None,
            "counts": {"optimizer steps": 4, "batches": 1},
            "seconds": None,
            "looked": None,
        }
    ]
    assert fields["failures"] == [{"what": "a check", "traceback": "Traceback"}]
    assert audit_fields(result, {}, 0, Comparison(["O1"], ["O2"], []))["compared"] == {
        "gone": ["O1"],
        "left": ["O2"],
        "new": [],
    }
    assert json.loads(json.dumps(fields)) == fields


def test_what_differs_from_an_earlier_run_is_on_one_screen():
    differences = (Difference("samples", "other samples", ("C13", "C1")), Difference("loss", "another loss"))
    comparison = TraceComparison(ExitCode.NO, 121, 130, 131, 2, differences, ("the runs are not alike",))
    assert render_trace_comparison(comparison, 100).splitlines() == [
        "compared with the trace of the earlier run: different at step 131 of the earlier run (rank 2)",
        "    first: other samples (C13, C1)",
        "    also: another loss",
        "    the runs are not alike",
        "    this run began at step 121",
        "    more: dpkb show C13",
    ]
    fields = audit_fields(replace(NOTHING, same_as=comparison), {}, 1)["same_as"]
    assert fields["verdict"] == "different" and fields["differences"][0]["ids"] == ("C13", "C1")
    equal = TraceComparison(ExitCode.YES, 121, 200)
    assert render_trace_comparison(equal, 100).splitlines()[0].endswith("earlier run: equal")
