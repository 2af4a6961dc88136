"""The verdicts of many runs, as text and as JSON."""

import io
import sys
from dataclasses import replace

import pytest
from support.results import HERE, result

from dpkb.judge.summary import VerifyReport, VerifyRun
from dpkb.output.verify import VerifyProgress, render_verify, verify_fields
from dpkb.run_records import Verdict


@pytest.fixture(autouse=True)
def window(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")


def test_one_environment_is_the_document_and_several_are_a_list():
    runs = tuple(VerifyRun(replace(HERE, torch=torch), (result(),), 2.04, 2) for torch in ("2.4.1", "2.5.1"))
    first = verify_fields(VerifyReport(runs[:1]))
    assert first["summary"] == {"confirmed": 1, "refuted": 0, "inconclusive": 0, "skipped": 0}
    assert first["environment"]["torch"] == "2.4.1" and first["seconds"] == 2.0
    both = verify_fields(VerifyReport(runs))
    assert [run["environment"]["torch"] for run in both["runs"]] == ["2.4.1", "2.5.1"]
    assert both["runs"][0] == {"version": 1, **first}


def verified(*results):
    return render_verify(VerifyReport((VerifyRun(HERE, results, 61.26, 2),)))


def test_the_pair_comes_first_and_entries_are_in_order():
    shown = verified(
        result("trap_x"),
        result("fixed"),
        result("broken"),
        result("broken", id="ZZ10"),
        result("broken", id="ZZ9"),
    )
    rows = [line.split()[:2] for line in shown.splitlines() if line.startswith("ZZ")]
    assert rows == [
        ["ZZ1", "broken"],
        ["ZZ1", "fixed"],
        ["ZZ1", "trap_x"],
        ["ZZ9", "broken"],
        ["ZZ10", "broken"],
    ]
    assert "torch 2.4.1+cu121, Python 3.11.7, linux, cpu, 2 at once, 61.3 s" in shown


def test_the_last_line_counts_each_verdict():
    shown = verified(
        result("broken"),
        result("fixed"),
        result("trap_x", Verdict.SKIPPED),
        result("broken", Verdict.REFUTED, id="ZZ2"),
        result("fixed", id="ZZ2"),
    )
    assert shown.splitlines()[-1] == (
        "1 of 2 pairs reproduced: 3 confirmed, 1 refuted, 0 inconclusive, 1 not tested here"
    )


def test_a_result_that_is_not_confirmed_is_explained():
    shown = verified(
        result("broken", Verdict.REFUTED, observed={"healthy": True, "seen": 8}),
        result("fixed", Verdict.INCONCLUSIVE, observed=None, log="\n".join(f"line {n}" for n in range(9))),
        result("trap_x", Verdict.SKIPPED, seen="no GPU\nhere"),
    )
    assert "ZZ1 broken: refuted\n  claim     it fails\n  expected  a wrong result\n" in shown
    assert '  observed  {"healthy": true, "seen": 8}' in shown
    assert "  stderr    line 3" in shown and "line 2" not in shown
    assert "Not tested here\n  ZZ1 trap_x: no GPU here\n" in shown


def test_runs_that_disagree_are_named():
    shown = verified(result(), result(), result(verdict=Verdict.REFUTED))
    assert "ZZ1 broken: 3 runs gave different verdicts: confirmed, refuted" in shown


def test_a_long_reason_is_cut_in_the_table_and_an_unaffected_version_is_marked():
    shown = verified(result(seen="a " * 80), result("fixed", affected=False))
    first, second = [line for line in shown.splitlines() if line.startswith("ZZ1")]
    assert "…" in first and len(first) <= 100 and "not affected: a wrong result" in second


def test_a_report_without_results_has_a_summary():
    assert verified().splitlines()[-1].startswith("0 of 0 pairs reproduced: 0 confirmed")


def test_progress_is_a_line_for_each_run_where_there_is_no_terminal(monkeypatch):
    errors = io.StringIO()
    monkeypatch.setattr(sys, "stderr", errors)
    with VerifyProgress(2) as progress:
        progress.count(result())
        progress.count(result("fixed", affected=False))
    assert errors.getvalue().splitlines() == [
        "[1/2] ZZ1 broken: confirmed (1.2 s)",
        "[2/2] ZZ1 fixed: confirmed (not affected here) (1.2 s)",
    ]
